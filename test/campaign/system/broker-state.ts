import { connect, type JetStreamManager } from 'nats'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import type { Movement } from '../ledger/ledger.ts'
import { withDatabase } from './database.ts'

/** The streams with durables, by the user that may ask for them. */
const STREAMS = {
  services: ['SCANS', 'OVERFLOW', 'CATALOG', 'EVENTS', 'PLACEMENTS', 'AUDIT'],
  'mqtt-services': ['$MQTT_msgs'],
} as const
const OUTBOXES = ['catalog', 'keys', 'tracking', 'webhooks'] as const

async function asked<T>(
  { urls, secrets }: Stack,
  user: string,
  work: (jsm: JetStreamManager) => Promise<T>,
): Promise<T> {
  const nc = await connect({ servers: urls.nats, user, pass: secrets.nats.services_password })
  try {
    return await work(await nc.jetstreamManager({ checkAPI: false }))
  } finally {
    await nc.close()
  }
}

/** What is still on its way, such as `tracking-ingest: 12`; empty when the system is quiet. */
export async function backlog(stack: Stack): Promise<string[]> {
  const waiting: string[] = []
  for (const [user, streams] of Object.entries(STREAMS))
    await asked(stack, user, async (jsm) => {
      for (const stream of streams)
        for (const { name, num_pending, num_ack_pending, config } of await jsm.consumers.list(stream).next())
          if (config.durable_name !== undefined && num_pending + num_ack_pending > 0)
            waiting.push(`${name}: ${num_pending + num_ack_pending}`)
    })
  await withDatabase(stack, async (client) => {
    for (const schema of OUTBOXES) {
      const { rows } = await client.query<{ count: string }>(`select count(*) from ${schema}.outbox`)
      if (rows[0]?.count !== '0') waiting.push(`outbox of ${schema}: ${rows[0]?.count}`)
    }
  })
  return waiting
}

/** The number of dead letters: messages that the services gave up. */
export const deadLetters = (stack: Stack): Promise<number> =>
  asked(stack, 'services', async (jsm) => (await jsm.streams.info('DEAD')).state.messages)

type Event = {
  delivery_id: string
  org_id: number
  occurred_at: string
  asset: { id: number }
  from_location: { id: number } | null
  to_location: { id: number }
}

const MOVED = 'events.asset-moved.'

/** All movements in EVENTS, by organization. */
export const movementsOf = (stack: Stack): Promise<Map<number, Movement[]>> =>
  asked(stack, 'services', async (jsm) => {
    const { state } = await jsm.streams.info('EVENTS')
    const movements = new Map<number, Movement[]>()
    if (state.messages === 0) return movements
    const consumer = await jsm.jetstream().consumers.get('EVENTS')
    for await (const message of await consumer.consume()) {
      if (message.subject.startsWith(MOVED)) {
        const event = message.json<Event>()
        const known = movements.get(event.org_id) ?? []
        known.push({
          deliveryId: event.delivery_id,
          assetId: event.asset.id,
          occurredAtMs: Date.parse(event.occurred_at),
          fromId: event.from_location?.id ?? null,
          toId: event.to_location.id,
        })
        movements.set(event.org_id, known)
      }
      if (message.seq >= state.last_seq) break
    }
    return movements
  })
