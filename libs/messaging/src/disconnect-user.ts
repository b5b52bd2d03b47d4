import { z } from 'zod'
import { askServer, askServers } from './ask-servers.ts'
import type { Broker } from './connection.ts'

/** What we read of a server's answer; unknown fields are left to it. */
const Connz = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    connections: z.array(z.object({ cid: z.number(), authorized_user: z.string().optional() })),
  }),
})
type Connection = { server: string; cid: number }

const MAX_SWEEPS = 5

/**
 * Ends the live connections, NATS and MQTT, of everyone logged in as `name`, on all servers of the cluster, and
 * resolves with their number. `broker` is logged in as `system`.
 *
 * First make the callout refuse the name: disconnected clients come back at once. A login that was being decided
 * meanwhile can slip in behind the sweep: call again after the callout's two seconds to be sure. Safe to repeat.
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

/** Ends the connections of each server as soon as it has named them: a flood need not wait for the others' replies. */
async function disconnectFound(broker: Broker, name: string): Promise<number> {
  const disconnects: Promise<void>[] = []
  for await (const reply of askServers(broker, 'CONNZ', { auth: true, user: name, limit: 1_024 })) {
    const { server, data } = Connz.parse(reply)
    for (const { cid, authorized_user: user } of data.connections) {
      if (user === name) disconnects.push(disconnect(broker, { server: server.id, cid }))
    }
  }
  await Promise.all(disconnects)
  return disconnects.length
}

/** A connection that has already ended is not a failure: the next sweep shows the ones that are left. */
async function disconnect(broker: Broker, { server, cid }: Connection): Promise<void> {
  await askServer(broker, server, 'KICK', { cid })
}
