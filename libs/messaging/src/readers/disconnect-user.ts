import { z } from 'zod'
import { askServers, kick } from '../connect/ask-servers.ts'
import type { Broker } from '../connect/connection.ts'

const Connection = z.object({
  cid: z.number(),
  start: z.coerce.date(),
  authorized_user: z.string().optional(),
})
/** The fields that we read of a server's answer. */
const Connz = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({ now: z.coerce.date(), connections: z.array(Connection).default([]) }),
})
type Connection = z.output<typeof Connection>

const MAX_SWEEPS = 5
/** Where the broker puts connections until their login is decided. No user of nats.conf and no grant names it. */
const UNDECIDED_ACCOUNT = '$G'

/**
 * Ends the connections, NATS and MQTT, of every client logged in as `name`, on all servers of the cluster. Resolves
 * with their number. `broker` must be logged in as `system`.
 *
 * First make the callout refuse the name, because disconnected clients log in again at once. A login that is being
 * decided meanwhile can connect after the sweep: call again when its decision is old (1.5 s). Safe to repeat.
 */
export async function disconnectUser(broker: Broker, name: string): Promise<number> {
  let disconnected = 0
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const found = await disconnect(broker, { user: name }, ({ authorized_user: user }) => user === name)
    if (found === 0) break
    disconnected += found
  }
  return disconnected
}

/**
 * Ends connections, NATS and MQTT, that have waited longer than `ms` for their login to be decided. Resolves with their
 * number. Call it where logins are decided at once: then the request of such a login was lost, because the callout was
 * not connected to that broker or another replica does not answer. A client that is disconnected retries in a second or
 * two, and earlier than by its own time-out. `broker` must be logged in as `system`. At most 1 024 of each server.
 */
export const disconnectWaiting = (broker: Broker, ms: number): Promise<number> =>
  disconnect(
    broker,
    { acc: UNDECIDED_ACCOUNT, sort: 'start' },
    ({ start }, now) => now.getTime() - start.getTime() > ms,
  )

/**
 * Ends the connections of each server as soon as it has listed them, without waiting for the other servers. A connection
 * that has already ended is not a failure: the next sweep finds the remaining ones.
 */
async function disconnect(
  broker: Broker,
  query: Record<string, string>,
  isMeant: (connection: Connection, now: Date) => boolean,
): Promise<number> {
  const kicks: Promise<void>[] = []
  for await (const reply of askServers(broker, 'CONNZ', { auth: true, limit: 1_024, ...query })) {
    const { server, data } = Connz.parse(reply)
    for (const connection of data.connections)
      if (isMeant(connection, data.now)) kicks.push(kick(broker, { server: server.id, cid: connection.cid }))
  }
  await Promise.all(kicks)
  return kicks.length
}
