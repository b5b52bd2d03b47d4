import { nanos } from 'nats'
import { expect, test } from 'vitest'
import { refuseToShrink } from './no-shrink.ts'

const NOW = Date.parse('2026-11-21T10:00:00.000Z')
const HOUR = 3_600_000
const state = { bytes: 500, messages: 3, first_ts: '2026-11-20T10:00:00.000Z' }
const change = (wanted: { bytes?: number; copies?: number; hours?: number }) => ({
  info: { config: { num_replicas: 3 }, state },
  wanted: {
    name: 'SCANS',
    max_bytes: wanted.bytes ?? 1_000,
    num_replicas: wanted.copies ?? 3,
    max_age: nanos((wanted.hours ?? 72) * HOUR),
  },
})
const apply =
  (...wanted: Parameters<typeof change>[0][]) =>
  () =>
    refuseToShrink(wanted.map(change), NOW)

test('a change that drops bytes, copies or hours is refused with the figures of each', () => {
  expect(apply({ bytes: 499 })).toThrow('stream SCANS holds 500 bytes and would be limited to 499')
  expect(apply({ copies: 1 })).toThrow('stream SCANS has 3 copies and would have 1')
  expect(apply({ hours: 23 })).toThrow(
    'holds messages since 2026-11-20T10:00:00.000Z and would keep only 23 h',
  )
  expect(apply({ bytes: 1 }, { copies: 1 })).toThrow(/limited to 1; .* would have 1\. Nothing has changed\./)
})

test('a lower limit that everything stored fits into is applied, and so is none', () => {
  expect(apply({ bytes: 500, copies: 3, hours: 25 }, { bytes: -1, hours: 0, copies: 5 })).not.toThrow()
})
