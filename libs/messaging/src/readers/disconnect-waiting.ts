import { z } from 'zod'
import { askServers, kick } from '../connect/ask-servers.ts'
import type { Broker } from '../connect/connection.ts'

/** The fields that we read of a server's answer. */
const Connz = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    now: z.coerce.date(),
    connections: z.array(z.object({ cid: z.number(), start: z.coerce.date() })).default([]),
  }),
})

/** Where the broker puts connections until their login is decided. No user of nats.conf and no grant names it. */
const UNDECIDED_ACCOUNT = '$G'

/**
 * Ends connections, NATS and MQTT, that have waited longer than `ms` for their login to be decided. Resolves with their
 * number. Call it where logins are decided at once: then the request of such a login was lost, because the callout was
 * not connected to that broker or another replica does not answer. A client that is disconnected retries in a second or
 * two, and earlier than by its own time-out. `broker` must be logged in as `system`. At most 1 024 of each server.
 */
export async function disconnectWaiting(broker: Broker, ms: number): Promise<number> {
  const kicks: Promise<void>[] = []
  const query = { auth: true, acc: UNDECIDED_ACCOUNT, limit: 1_024, sort: 'start' }
  for await (const reply of askServers(broker, 'CONNZ', query)) {
    const { server, data } = Connz.parse(reply)
    for (const { cid, start } of data.connections)
      if (data.now.getTime() - start.getTime() > ms) kicks.push(kick(broker, { server: server.id, cid }))
  }
  await Promise.all(kicks)
  return kicks.length
}
