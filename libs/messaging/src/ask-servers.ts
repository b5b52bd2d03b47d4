import { RequestStrategy, type Msg } from 'nats'
import { natsOf, type Broker } from './connection.ts'

const ANSWER_MS = 2_000

/**
 * What every server of the cluster answers, as it comes. How many there are is theirs to know: it ends when none has answered
 * for a while. `broker` is logged in as `system`; throws when nobody answers.
 */
export async function* askServers(
  broker: Broker,
  what: 'CONNZ' | 'ACCOUNTZ',
  query: object,
): AsyncGenerator<unknown, void, undefined> {
  const options = { strategy: RequestStrategy.JitterTimer, jitter: 200, maxWait: ANSWER_MS }
  const subject = `$SYS.REQ.SERVER.PING.${what}`
  for await (const answer of await natsOf(broker).requestMany(subject, JSON.stringify(query), options))
    yield answer.json()
}

/** What one server answers, by its id. Throws when it does not answer in time. */
export const askServer = (
  broker: Broker,
  serverId: string,
  what: 'CONNZ' | 'KICK',
  query: object,
): Promise<Msg> =>
  natsOf(broker).request(`$SYS.REQ.SERVER.${serverId}.${what}`, JSON.stringify(query), { timeout: ANSWER_MS })
