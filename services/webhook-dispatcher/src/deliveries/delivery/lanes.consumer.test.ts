import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { expect, test } from 'vitest'
import { LANE_LIMITS } from '../lanes/lanes.ts'
import { bytesOf, decodeJob } from './lanes.consumer.ts'

const event = {
  delivery_id: '6f1c7c52-8f0e-5d55-9d0c-3a1f0a3c9f10',
  org_id: 7,
  occurred_at: '2026-11-21T10:00:00.000Z',
  kind: 'scan',
  asset: { id: 11, external_key: 'A', name: 'A' },
  from_location: null,
  to_location: { id: 22, name: 'Dock' },
}

const message = (payload: unknown, subject = 'events.asset-moved.7'): IncomingMessage => ({
  subject,
  data: typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(JSON.stringify(payload)),
  receivedAt: 5,
  deliveryCount: 2,
  streamSeq: 1,
  headers: {},
})

test('an event becomes a delivery of its organization; unknown fields are ignored', () => {
  const job = decodeJob(message({ ...event, new_field: 1 }))
  expect(job).toMatchObject({ orgId: 7, receivedAt: 5, deliveryCount: 2, attempts: 0 })
  expect(job.payload.deliveryId).toBe(event.delivery_id)
})

test.for([
  ['a message that is not JSON', message('{')],
  ['an event without a required field', message({ ...event, to_location: undefined })],
  ['a time that is not a timestamp', message({ ...event, occurred_at: 'now' })],
  ["an event under another organization's subject", message(event, 'events.asset-moved.8')],
] as const)('%s becomes a dead letter without a retry', ([, poison]) => {
  expect(() => decodeJob(poison)).toThrow(PoisonError)
})

test('an event of a type that this release does not know is retried', () => {
  const decode = () => decodeJob(message(event, 'events.asset-vanished.7'))
  expect(decode).toThrow('unknown event events.asset-vanished.7')
  expect(decode).not.toThrow(PoisonError)
})

test('a save of 10 000 assets fits into a lane, even if all names have 255 characters', () => {
  const saved = 10_000
  const bytes = (name: string) => {
    const place = { id: 2 ** 52, name }
    const moved = { ...event, asset: { ...place, external_key: 'K'.repeat(name.length) } }
    return bytesOf(decodeJob(message({ ...moved, from_location: place, to_location: place })))
  }
  expect(saved * bytes('N'.repeat(255))).toBeLessThan(LANE_LIMITS.laneBytes)
  expect(2 * saved * bytes('Forklift 7, hall B')).toBeLessThan(LANE_LIMITS.totalBytes)
})
