import type { Arrival, IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { MQTT_PREFIX } from '@whereabouts/messaging/connect/topology'
import { describe, expect } from 'vitest'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { message, NOW, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { ingestConsumer } from '../ingest.consumer.ts'

const arrival = (of: IncomingMessage, changes: Partial<Arrival> = {}): Arrival => ({
  ...of,
  deliverySeq: 1,
  isReplayed: false,
  ...changes,
})
const read = (orgId = 1) => message(orgId, [{ value: 'E280' }])

/** Number of admitted messages of `count` that were received at once. */
function admit(tracking: Tracking, count: number, changes: Partial<Arrival> = {}): number {
  const { admitScan } = tracking.ingest.admission
  return Array.from({ length: count }, () => admitScan(arrival(read(), changes))).filter(Boolean).length
}

async function health(tracking: Tracking) {
  await tracking.ingest.health.flush()
  const { data } = (await tracking.call('GET', '/readers')).json()
  return data[0].health
}

const key = (n: number, message_rate_per_second: number | null) => ({
  org_id: 1,
  id: n,
  jti: `00000000-0000-4000-8000-00000000000${n}`,
  revision: 1,
  name: 'Dock',
  scopes: ['scans:write'],
  expires_at: null,
  revoked_at: null,
  rate_limit_per_minute: null,
  message_rate_per_second,
})

test('a message beyond the rate is dropped, counted and shown in the health of its reader', async ({
  tracking,
}) => {
  await warehouse(tracking)
  tracking.rates.states.apply('keys.key.1', key(1, null))
  expect(admit(tracking, 2_212)).toBe(2_000)
  expect(await health(tracking)).toMatchObject({
    messages: 212,
    messages_over_rate: 212,
    last_problem:
      '212 messages dropped: more than 200 messages or 6.6 MB a second for this key. Send several reads in a message of up to 32 KiB.',
    last_problem_at: new Date(NOW).toISOString(),
  })
  expect(tracking.ingest.admission.admitScan(arrival(read(2)))).toBe(true) // another organization
  admit(tracking, 1)
  expect(await health(tracking)).toMatchObject({
    messages_over_rate: 213,
    last_problem: expect.stringMatching(/^1 message dropped: /),
  })
})

test('the rate that an operator sets counts, and several keys of an organization add up', async ({
  tracking,
}) => {
  await warehouse(tracking)
  tracking.rates.states.apply('keys.key.1', key(1, 30))
  tracking.rates.states.apply('keys.key.2', key(2, 20))
  expect(admit(tracking, 600)).toBe(500)
  expect(await health(tracking)).toMatchObject({
    last_problem: expect.stringContaining(
      'more than 50 messages or 6.6 MB a second for the 2 keys of this organization',
    ),
  })
})

test('bytes have a rate too, so that one key cannot send more than ingest can read', async ({ tracking }) => {
  const { admitScan } = tracking.ingest.admission
  const admitted = (bytes: number, count: number, receivedAt = NOW) =>
    Array.from({ length: count }, () =>
      admitScan(arrival({ ...read(), data: Buffer.alloc(bytes), receivedAt })),
    ).filter(Boolean).length
  // 16 MB at once, then 32 KiB for each allowed message.
  expect(admitted(256 * 1024, 300)).toBe(62)
  expect(admitted(256 * 1024, 300, NOW + 1_000)).toBe(25)
  expect(admitted(32 * 1024, 10_000, NOW + 60_000)).toBe(500)
})

test('keys that an organization creates raise its rate up to five times', async ({ tracking }) => {
  for (let n = 1; n <= 9; n += 1) tracking.rates.states.apply(`keys.key.${n}`, key(n, null))
  expect(admit(tracking, 12_000)).toBe(10_000)
})

test('a redelivered or replayed message is not counted again', async ({ tracking }) => {
  expect(admit(tracking, 3_000, { deliveryCount: 2 })).toBe(3_000)
  expect(admit(tracking, 3_000, { isReplayed: true })).toBe(3_000)
  expect(admit(tracking, 3_000)).toBe(2_000)
})

test('a message that is not a scan is admitted, to become a dead letter', async ({ tracking }) => {
  expect(admit(tracking, 3_000, { subject: 'scans.1' })).toBe(3_000)
})

test('a dropped message is not admitted by its MQTT copy', async ({ tracking }) => {
  const { admitCopy } = tracking.ingest.admission
  const copy = (changes: Partial<Arrival> = {}) => {
    const sent = read()
    return arrival({ ...sent, subject: `${MQTT_PREFIX}${sent.subject}` }, changes)
  }
  expect(admitCopy(copy())).toBe(true)
  admit(tracking, 2_001)
  expect(admitCopy(copy())).toBe(false)
  expect(admitCopy(copy({ receivedAt: NOW + 999 }))).toBe(false)
  expect(admitCopy(copy({ receivedAt: NOW + 5_000 }))).toBe(true)
  // If SCANS missed all messages, the copies have the same rate.
  const late = { receivedAt: NOW + 60_000 }
  const came = Array.from({ length: 3_000 }, () => admitCopy(copy(late))).filter(Boolean)
  expect(came).toHaveLength(2_000)
})

describe('reads beyond the rate', () => {
  const READS = 1_000
  const many = (changes: Partial<IncomingMessage> = {}) => ({
    ...message(
      1,
      Array.from({ length: READS }, () => ({ value: 'E280' })),
    ),
    ...changes,
  })
  /** Decodes messages as ingest does, and so charges their reads. */
  const decode = (tracking: Tracking, count: number, changes: Partial<IncomingMessage> = {}) => {
    for (let n = 0; n < count; n += 1) ingestConsumer(tracking.ingest).decode(many(changes))
  }
  const mustWait = (tracking: Tracking, of: Partial<IncomingMessage> = {}) =>
    ingestConsumer(tracking.ingest).fair?.mustWait?.(arrival(many(of)))

  test('50 000 reads at once and 5 000 a second are taken, of each organization', async ({ tracking }) => {
    await warehouse(tracking)
    decode(tracking, 50)
    expect(mustWait(tracking)).toBe(false)
    decode(tracking, 1)
    expect(mustWait(tracking)).toBe(true)
    expect(mustWait(tracking, { subject: 'scans.2.dock-1.canonical' })).toBe(false)
    // By the time of receipt, so that a backlog after our own outage is not a flood.
    for (let second = 1; second <= 60; second += 1) {
      const at = { receivedAt: NOW + second * 1_000 }
      expect(mustWait(tracking, at)).toBe(false)
      decode(tracking, 5, at)
    }
    decode(tracking, 1_000, { receivedAt: NOW + 60_000, deliveryCount: 2 }) // a redelivery is not charged again
    expect(mustWait(tracking, { receivedAt: NOW + 60_500 })).toBe(false)
  })

  test('the rate that an operator sets raises it', async ({ tracking }) => {
    await warehouse(tracking)
    tracking.rates.states.apply('keys.key.1', key(1, 400))
    decode(tracking, 100)
    expect(mustWait(tracking)).toBe(false)
    decode(tracking, 1)
    expect(mustWait(tracking)).toBe(true)
  })

  test('messages wait, and are dropped when the share of OVERFLOW is used up; the reader says so', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const { admitScan, admitCopy } = tracking.ingest.admission
    decode(tracking, 51)
    const overflow = { isShareUsed: () => false }
    expect(admitScan(arrival(read()), overflow)).toBe(true)
    expect(await health(tracking)).toMatchObject({
      messages_over_rate: 0,
      last_problem:
        'Scans arrive late: more than 5000 reads a second for this organization. Let the readers report each tag less often, or ask the operator for a higher rate.',
    })
    const copy = { ...read(), subject: `${MQTT_PREFIX}${read().subject}` }
    expect(admitCopy(arrival(copy))).toBe(false) // OVERFLOW has the message
    overflow.isShareUsed = () => true
    expect(admitScan(arrival(read()), overflow)).toBe(false)
    expect(admitScan(arrival(read(2)), overflow)).toBe(true)
    expect(await health(tracking)).toMatchObject({
      messages: 1,
      messages_over_rate: 1,
      last_problem: expect.stringMatching(
        /^1 message dropped, others arrive late: more than 5000 reads a second /,
      ),
    })
    overflow.isShareUsed = () => false
    expect(admitScan(arrival(read()), overflow)).toBe(true)
    expect(admitScan(arrival(read(), { receivedAt: NOW + 10_000 }), overflow)).toBe(true)
  })
})
