import { z } from 'zod'
import { askServers, kick } from '../connect/ask-servers.ts'
import type { Broker } from '../connect/connection.ts'

/** The fields that we read of a server's answer. */
const Connz = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    connections: z.array(z.object({ cid: z.number(), authorized_user: z.string().optional() })),
  }),
})

const MAX_SWEEPS = 5

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
    const found = await disconnectFound(broker, name)
    if (found === 0) break
    disconnected += found
  }
  return disconnected
}

/**
 * Ends the connections of each server as soon as it has listed them, without waiting for the other servers. A connection
 * that has already ended is not a failure: the next sweep finds the remaining ones.
 */
async function disconnectFound(broker: Broker, name: string): Promise<number> {
  const disconnects: Promise<void>[] = []
  for await (const reply of askServers(broker, 'CONNZ', { auth: true, user: name, limit: 1_024 })) {
    const { server, data } = Connz.parse(reply)
    for (const { cid, authorized_user: user } of data.connections) {
      if (user === name) disconnects.push(kick(broker, { server: server.id, cid }))
    }
  }
  await Promise.all(disconnects)
  return disconnects.length
}
