import type { IncomingMessage } from '@whereabouts/messaging/delivery'
import { MQTT_PREFIX } from '@whereabouts/messaging/topology'
import { describe, expect } from 'vitest'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { mqttCopyConsumer } from './ingest.consumer.ts'
import { RecentMinutes } from './recent-minutes.ts'
import { events, ingest, message, NOW, scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'

const context = { signal: new AbortController().signal, working: () => undefined }

/** As the broker keeps what it has acknowledged over MQTT. */
const copyOf = (sent: IncomingMessage): IncomingMessage => ({
  ...sent,
  subject: `${MQTT_PREFIX}${sent.subject}`,
})

async function copy(tracking: Tracking, sent: readonly IncomingMessage[]) {
  const consumer = mqttCopyConsumer({ ...tracking.ingest, recent: new RecentMinutes() })
  const decoded = sent.map((each) => consumer.decode(copyOf(each)))
  await consumer.handle(decoded, context)
}

/** What the reader list says of reader dock-1, once all that was noted is written. */
async function healthOf(tracking: Tracking) {
  await tracking.ingest.health.flush()
  const { data } = (await tracking.call('GET', '/readers')).json()
  return data[0].health as { messages: number; messages_buried: number }
}

describe('what the broker acknowledged over MQTT', () => {
  test('is stored from its copy when SCANS missed it', async ({ tracking }) => {
    const { asset, dock } = await warehouse(tracking)
    await copy(tracking, [message(1, [{ value: 'E280', at: NOW - 1_000 }])])
    expect(await scans(tracking)).toEqual([
      { asset_id: asset.id, location_id: dock.id, observed_at: new Date(NOW - 1_000).toISOString() },
    ])
    expect(await events(tracking)).toHaveLength(1)
  })

  test('is stored, announced and counted on its reader once when both have it, whichever comes first', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const [first, second] = [5, 3].map((minutes) =>
      message(1, [{ value: 'E280', at: NOW - minutes * 60_000 }]),
    )
    await ingest(tracking, [first!])
    await copy(tracking, [first!])
    await copy(tracking, [second!])
    await ingest(tracking, [second!])
    expect(await scans(tracking)).toHaveLength(2)
    expect(await events(tracking)).toHaveLength(1)
    expect(await healthOf(tracking)).toMatchObject({ messages: 2 })
  })

  test('and is no reader message is buried once, beside good ones that are stored', async ({ tracking }) => {
    await warehouse(tracking)
    const bad = { ...message(1, []), data: Buffer.from('not JSON') }
    await copy(tracking, [bad, message(1, [{ value: 'E280', at: NOW - 1_000 }])])
    expect(await scans(tracking)).toHaveLength(1)
    await expect(ingest(tracking, [bad])).rejects.toThrow('not a canonical message')
    expect(await healthOf(tracking)).toMatchObject({ messages_buried: 1 })
  })
})
