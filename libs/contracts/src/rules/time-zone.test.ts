import { expect, test } from 'vitest'
import { offsetMsOf, TimeZone } from './time-zone.ts'

const HOUR = 3_600_000

test.for([
  { zone: 'Z', ms: 0 },
  { zone: 'UTC', ms: 0 },
  { zone: '+08', ms: 8 * HOUR },
  { zone: '-6:00', ms: -6 * HOUR },
  { zone: '-3:30', ms: -3.5 * HOUR },
  { zone: 'GMT+08:00', ms: 8 * HOUR },
  { zone: '+0545', ms: 5.75 * HOUR },
  { zone: '+24', ms: undefined },
  { zone: '+05:60', ms: undefined },
  { zone: '8', ms: undefined },
  { zone: 'Europe/Berlin', ms: undefined },
])('the offset of $zone is $ms ms', ({ zone, ms }) => {
  expect(offsetMsOf(zone)).toBe(ms)
})

test.for(['Europe/Berlin', 'Asia/Kathmandu', 'UTC', '+08:00', '-3:30', 'GMT+8'])(
  '%s is a time zone',
  (zone) => {
    expect(TimeZone.safeParse(zone).success).toBe(true)
  },
)

test.for([
  '',
  ' ',
  'Mars/Olympus',
  '+25',
  'Berlin\0',
  'Europe/Berlin ',
  '\ud800',
  'x'.repeat(65),
  '+'.repeat(65),
])('%j is not a time zone', (zone) => {
  expect(TimeZone.safeParse(zone).success).toBe(false)
})
