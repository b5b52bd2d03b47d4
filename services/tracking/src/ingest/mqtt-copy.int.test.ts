import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { MQTT_PREFIX } from '@whereabouts/messaging/connect/topology'
import { describe, expect } from 'vitest'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { mqttCopyConsumer } from './ingest.consumer.ts'
import { RecentMinutes } from './places/recent-minutes.ts'
import { events, ingest, message, NOW, scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'

const context = { signal: new AbortController().signal, working: () => undefined }

/** The broker's copy of a message that it acknowledged over MQTT. */
const copyOf = (sent: IncomingMessage): IncomingMessage => ({
  ...sent,
  subject: `${MQTT_PREFIX}${sent.subject}`,
})

async function copy(tracking: Tracking, sent: readonly IncomingMessage[]) {
  const consumer = mqttCopyConsumer({ ...tracking.ingest, recent: new RecentMinutes() })
  const decoded = sent.map((each) => consumer.decode(copyOf(each)))
  await consumer.handle(decoded, context)
}

/** Reader dock-1 in the list of readers, after the health was written. */
async function healthOf(tracking: Tracking) {
  await tracking.ingest.health.flush()
  const { data } = (await tracking.call('GET', '/readers')).json()
  return data[0].health as { messages: number; messages_buried: number }
}

describe('a message that the broker acknowledged over MQTT', () => {
  test('is stored from its copy if SCANS missed it', async ({ tracking }) => {
    const { asset, dock } = await warehouse(tracking)
    await copy(tracking, [message(1, [{ value: 'E280', at: NOW - 1_000 }])])
    expect(await scans(tracking)).toEqual([
      { asset_id: asset.id, location_id: dock.id, observed_at: new Date(NOW - 1_000).toISOString() },
    ])
    expect(await events(tracking)).toHaveLength(1)
  })

  test('is stored, announced and counted on its reader once if both have it, in either order', async ({
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

  test('becomes one dead letter if it is unusable, and good ones next to it are stored', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const bad = { ...message(1, []), data: Buffer.from('not JSON') }
    await copy(tracking, [bad, message(1, [{ value: 'E280', at: NOW - 1_000 }])])
    expect(await scans(tracking)).toHaveLength(1)
    await expect(ingest(tracking, [bad])).rejects.toThrow('not a canonical message')
    expect(await healthOf(tracking)).toMatchObject({ messages_buried: 1 })
  })
})
