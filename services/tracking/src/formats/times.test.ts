import { TimeZone } from '@whereabouts/contracts/rules/time-zone'
import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { describe, expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../test/formats/format-testing.ts'
import { parseTime, readEpoch } from './times.ts'

const at = (text: string, zone?: string) => {
  const ms = parseTime(text, zone)
  return typeof ms === 'number' ? new Date(ms).toISOString() : ms
}

test.for([
  ['2026-03-01T10:00:02Z', '2026-03-01T10:00:02.000Z'],
  ['2026-03-01t10:00:02.5z', '2026-03-01T10:00:02.500Z'],
  ['2026-03-01T10:00:02.999999999Z', '2026-03-01T10:00:02.999Z'],
  ['2026-03-01T10:00:02.+00:00', '2026-03-01T10:00:02.000Z'],
  ['2026-03-01T11:00:02.5+01:00', '2026-03-01T10:00:02.500Z'],
  ['2026-03-01T10:00:02+0000', '2026-03-01T10:00:02.000Z'],
  ['2026/03/01 06:30:03.000-0330', '2026-03-01T10:00:03.000Z'],
  ['2026-3-1&18:00:02+08', '2026-03-01T10:00:02.000Z'],
  [' 2026-12-31&9:5:2Z ', '2026-12-31T09:05:02.000Z'],
  ['2028-02-29T23:59:60Z', '2028-03-01T00:00:00.000Z'],
] as const)('%s is %s', ([text, want]) => expect(at(text)).toBe(want))

test.for([
  '10:00:01',
  '2026-03-01',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-03-00T00:00:00Z',
  '2026-03-01T24:00:00Z',
  '2026-03-01T10:60:00Z',
  '2026-03-01T10:00:61Z',
  '2026-03-01T10:00:02.0000000001Z',
  '2026-03-01T10:00:02+1',
  '2026-03-01T10:00:02+24:00',
  '2026-03-01T10:00:02+08:60',
  '2026-03-01T10:00:02+08:',
  '2026-03-01T10:00:02+08000',
  '2026-03-01T10:00:02ZZ',
  '2026-03-01T10:00:02 UTC',
  '2026-03-01T10:00:02,5Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-01:00',
  '2026-03-01T1O:00:02Z',
  '2026-03-01X10:00:02Z',
  '',
  'yesterday',
  '9'.repeat(100_000),
])('%s is not a time', (text) => expect(parseTime(text, 'Asia/Singapore')).toBeUndefined())

test('a wall time is an instant only with a zone, and never in the zone of this machine', () => {
  expect(at('2026-03-01 18:00:04')).toBeNull()
  expect(at('2026-03-01 18:00:04', 'Nowhere/Special')).toBeNull()
  expect(at('2026-03-01 18:00:04', 'Asia/Singapore')).toBe('2026-03-01T10:00:04.000Z')
  expect(at('2026-03-01 18:00:04', 'GMT+08:00')).toBe('2026-03-01T10:00:04.000Z')
  expect(at('2026/03/01 04:00:02.250', '-6:00')).toBe('2026-03-01T10:00:02.250Z')
  expect(at('2026/03/01 06:30:03', '-3:30')).toBe('2026-03-01T10:00:03.000Z')
  expect(at('2026-03-01 18:00:04', '+99:99')).toBeNull()
})

test('a zone in the text beats the configured one', () => {
  expect(at('2026-03-01T10:00:04Z', 'Asia/Singapore')).toBe('2026-03-01T10:00:04.000Z')
})

test.for([
  ['2026-03-29 01:59:59', '2026-03-29T00:59:59.000Z', 'before clocks go forward'],
  ['2026-03-29 02:30:00', '2026-03-29T01:30:00.000Z', 'skipped: moved forward by the change'],
  ['2026-03-29 03:00:00', '2026-03-29T01:00:00.000Z', 'after clocks went forward'],
  ['2026-10-25 01:59:59', '2026-10-24T23:59:59.000Z', 'before clocks go back'],
  ['2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z', 'shown twice: the first time'],
  ['2026-10-25 03:00:00', '2026-10-25T02:00:00.000Z', 'after clocks went back'],
] as const)('wall time %s in Berlin is %s (%s)', ([wall, want]) =>
  expect(at(wall, 'Europe/Berlin')).toBe(want),
)

test('numbers in any unit are cut to their millisecond', () => {
  // Times 1000, or times a million, this number is just below its millisecond.
  expect(readEpoch(1_073_745_890.587, 's')).toBe(1_073_745_890_587)
  expect(readEpoch(1_772_359_201_123.9, 'ms')).toBe(1_772_359_201_123)
  expect(readEpoch(1_772_359_201_123_999, 'us')).toBe(1_772_359_201_123)
})

test('an uptime, a time, and a time after 2100 are told apart', () => {
  expect(readEpoch(0, 'us')).toBe('unset')
  expect(readEpoch(86_400, 's')).toBe('unset')
  expect(readEpoch(-1, 'ms')).toBe('unset')
  expect(readEpoch(999_999_999, 's')).toBe('unset')
  expect(readEpoch(1_000_000_000, 's')).toBe(1e12)
  expect(readEpoch(1_772_359_201_123, 's')).toBeUndefined()
  expect(readEpoch(Number.MAX_VALUE, 'us')).toBeUndefined()
})

test('exactly the zones that the API accepts for a reader are understood', () => {
  const names = [...Intl.supportedValuesOf('timeZone'), 'UTC', '+08:00', '-3:30', 'GMT+8']
  for (const name of names) {
    expect(TimeZone.safeParse(name).success, name).toBe(true)
    expect(parseTime('2026-03-01 10:00:00', name), name).toEqual(expect.any(Number))
  }
  for (const name of ['', 'Mars/Olympus', '+25', 'Europe/Berlin ']) {
    expect(TimeZone.safeParse(name).success, name).toBe(false)
    expect(parseTime('2026-03-01 10:00:00', name), name).toBeNull()
  }
})

describe('D18.4 a wall time that a change of clocks repeats', () => {
  const near = (text: string, receipt: string) => {
    const ms = parseTime(text, 'Europe/Berlin', Date.parse(receipt))
    return typeof ms === 'number' ? new Date(ms).toISOString() : ms
  }
  test.for([
    ['2026-10-25 02:30:00', '2026-10-25T00:30:02Z', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25 02:30:00', '2026-10-25T01:30:02Z', '2026-10-25T01:30:00.000Z'],
    ['2026-10-25 02:30:00', '2026-10-25T01:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25 02:30:00', '2026-10-27T00:00:00Z', '2026-10-25T01:30:00.000Z'],
    ['2026-10-25 01:30:00', '2026-10-25T01:30:02Z', '2026-10-24T23:30:00.000Z'],
    ['2026-10-25 03:00:00', '2026-10-25T01:59:00Z', '2026-10-25T02:00:00.000Z'],
    ['2026-03-29 02:30:00', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00.000Z'],
  ] as const)('%s received at %s is %s', ([text, receipt, want]) => expect(near(text, receipt)).toBe(want))
})

describe('D18.4 a wall time without a zone', () => {
  const reads = (times: string[]) => ({
    reads: times.map((read_at) => ({ tag: { type: 'rfid', value: 'E280' }, read_at })),
  })
  const wall = ['2026-03-01T10:00:04Z', '2026-03-01 10:00:04', '2026-03-01 10:00:05']

  test('is one problem of the message, which keeps its reads', () => {
    const decoded = decode('canonical', reads(wall))
    expect(errorsOf(decoded)).toEqual(['missing_zone /reads/1/read_at'])
    expect(decoded.reads.map(({ read_at_ms }) => read_at_ms)).toEqual([Date.parse(CURRENT), null, null])
  })

  test('is none where the reader has a zone, or where the time of receipt counts', () => {
    expect(errorsOf(decode('canonical', reads(wall), { timezone: 'UTC' }))).toEqual([])
    expect(errorsOf(decode('canonical', reads(wall), { time_source: 'receipt' }))).toEqual([])
  })

  test('is a problem in a mapping too', () => {
    const mapping = ReaderMapping.parse({
      reads: '',
      tag: '/epc',
      tag_type: 'rfid',
      time: '/at',
      time_format: 'local',
    })
    expect(errorsOf(decode('mapping', { epc: 'E280', at: wall[1] }, { mapping }))).toEqual([
      'missing_zone /at',
    ])
  })
})
