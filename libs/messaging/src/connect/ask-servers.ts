import { RequestStrategy, type Msg } from 'nats'
import { natsOf, type Broker } from './connection.ts'

const ANSWER_MS = 2_000

/**
 * The answers of all servers of the cluster, as they arrive. We do not know how many servers there are, so it ends
 * when none has answered for 200 ms. `broker` must be logged in as `system`. Throws if no server answers.
 */
export async function* askServers(
  broker: Broker,
  what: 'CONNZ' | 'ACCOUNTZ' | 'VARZ',
  query: object,
): AsyncGenerator<unknown, void, undefined> {
  const options = { strategy: RequestStrategy.JitterTimer, jitter: 200, maxWait: ANSWER_MS }
  const subject = `$SYS.REQ.SERVER.PING.${what}`
  for await (const answer of await natsOf(broker).requestMany(subject, JSON.stringify(query), options))
    yield answer.json()
}

/** The answer of one server, by its id. Throws if it does not answer in time. */
export const askServer = (
  broker: Broker,
  serverId: string,
  what: 'CONNZ' | 'KICK' | 'RELOAD',
  query: object,
  timeout = ANSWER_MS,
): Promise<Msg> =>
  natsOf(broker).request(`$SYS.REQ.SERVER.${serverId}.${what}`, JSON.stringify(query), { timeout })

/** Ten thousand accounts take two seconds. */
const RELOAD_MS = 30_000

/** `problem`: why the server keeps its old configuration. */
export type ReloadedServer = { name: string; problem: string | undefined }

/**
 * Makes each server read its configuration again, one after the other. Its readers log in again; services, streams and leaders stay.
 * Throws if no server answers.
 */
export async function reloadServers(broker: Broker): Promise<ReloadedServer[]> {
  const servers: { id: string; name: string }[] = []
  for await (const answer of askServers(broker, 'VARZ', {}))
    servers.push((answer as { server: { id: string; name: string } }).server)
  const reloaded: ReloadedServer[] = []
  for (const { id, name } of servers) {
    const { error } = (await askServer(broker, id, 'RELOAD', {}, RELOAD_MS)).json<{
      error?: { description?: string }
    }>()
    reloaded.push({ name, problem: error && (error.description ?? 'it gives no reason') })
  }
  return reloaded
}

/** Ends a connection, also one that waits for its login. The client sees a lost connection and retries. */
export async function kick(broker: Broker, connection: { server: string; cid: number }): Promise<void> {
  await askServer(broker, connection.server, 'KICK', { cid: connection.cid })
}
