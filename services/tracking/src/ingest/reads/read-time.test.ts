import { describe, expect, test } from 'vitest'
import { timeOfRead, type TimeRules } from './read-time.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const T0 = Date.UTC(2026, 10, 26, 12)
const RETENTION = 400 * DAY

const at = (ms: number | null, rules: Partial<TimeRules> = {}) =>
  timeOfRead(ms, {
    receivedAtMs: T0,
    source: 'reader',
    retentionMs: RETENTION,
    isClockRight: () => false,
    ...rules,
  })

const right = { isClockRight: () => true }

describe('D18.2 the time of a read', () => {
  test.for([
    { name: 'none', ms: null, kind: 'receipt', skewed: false },
    { name: 'the receipt itself', ms: T0, kind: 'as_sent', skewed: false },
    { name: 'exactly 24 h before', ms: T0 - DAY, kind: 'as_sent', skewed: false },
    { name: 'a millisecond ahead', ms: T0 + 1, kind: 'receipt', skewed: false },
    { name: 'exactly 30 s ahead', ms: T0 + 30_000, kind: 'receipt', skewed: false },
    { name: 'more than 30 s ahead', ms: T0 + 30_001, kind: 'receipt', skewed: true },
    { name: 'older than 24 h without a proof', ms: T0 - DAY - 1, kind: 'receipt', skewed: true },
    { name: 'a day ago', ms: T0 - DAY - 1, rules: right, kind: 'late', skewed: false },
    {
      name: 'the oldest of the history that is kept',
      ms: T0 - RETENTION,
      rules: right,
      kind: 'late',
      skewed: false,
    },
    { name: 'before the history', ms: T0 - RETENTION - 1, rules: right, kind: 'too_old', skewed: false },
    {
      name: 'before 2015 in any case',
      ms: Date.UTC(2015, 0, 1) - 1,
      rules: right,
      kind: 'receipt',
      skewed: true,
    },
    {
      name: 'the first instant of 2015',
      ms: Date.UTC(2015, 0, 1),
      rules: right,
      kind: 'too_old',
      skewed: false,
    },
    { name: '1970', ms: 1_000, rules: right, kind: 'receipt', skewed: true },
    {
      name: 'the week counter of GPS',
      ms: T0 - 1_024 * 7 * DAY,
      rules: right,
      kind: 'receipt',
      skewed: true,
    },
    {
      name: 'ahead, where receipt counts',
      ms: T0 + DAY,
      rules: { source: 'receipt' },
      kind: 'receipt',
      skewed: false,
    },
    {
      name: 'old, where receipt counts',
      ms: T0 - 9 * DAY,
      rules: { source: 'receipt' },
      kind: 'receipt',
      skewed: false,
    },
    {
      name: 'near, where receipt counts',
      ms: T0 - 9,
      rules: { source: 'receipt' },
      kind: 'receipt',
      skewed: false,
    },
  ] as const)('$name: $kind', ({ ms, kind, skewed, ...more }) => {
    const own = kind === 'receipt' ? T0 : ms
    expect(at(ms, 'rules' in more ? more.rules : {})).toEqual({ ms: own, kind, skewed })
  })

  test('the proof is asked about the time itself', () => {
    const isClockRight = (ms: number) => ms >= T0 - 2 * DAY
    expect(at(T0 - 2 * DAY, { isClockRight }).kind).toBe('late')
    expect(at(T0 - 2 * DAY - 1, { isClockRight }).kind).toBe('receipt')
  })
})
