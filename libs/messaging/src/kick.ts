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
  let kicked = 0
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const found = await kickFound(broker, name)
    if (found === 0) break
    kicked += found
  }
  return kicked
}

/** Ends the connections of each server as soon as it has named them: a flood need not wait for the others' answers. */
async function kickFound(broker: Broker, name: string): Promise<number> {
  const kicks: Promise<void>[] = []
  for await (const answer of askServers(broker, 'CONNZ', { auth: true, user: name, limit: 1_024 })) {
    const { server, data } = Connz.parse(answer)
    for (const { cid, authorized_user: user } of data.connections) {
      if (user === name) kicks.push(kick(broker, { server: server.id, cid }))
    }
  }
  await Promise.all(kicks)
  return kicks.length
}

/** One that is gone already is no failure: the next sweep shows who is left. */
async function kick(broker: Broker, { server, cid }: Connection): Promise<void> {
  await askServer(broker, server, 'KICK', { cid })
}
