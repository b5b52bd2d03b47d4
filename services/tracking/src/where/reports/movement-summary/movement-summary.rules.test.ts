import { expect, test } from 'vitest'
import { summaryOf, windowOf } from './movement-summary.rules.ts'

const NOW = Date.parse('2026-11-21T10:30:00.000Z')
const text = ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
  [fromMs, toMs].map((ms) => new Date(ms).toISOString())
const windowed = (from?: string, to?: string) => text(windowOf({ from, to }, NOW))

test('a window is the last 24 hours, the 24 hours before its end, or the requested one', () => {
  expect(windowed()).toEqual(['2026-11-20T10:30:00.000Z', '2026-11-21T10:30:00.000Z'])
  expect(windowed(undefined, '2026-01-02T00:00:00.000000Z')[0]).toBe('2026-01-01T00:00:00.000Z')
  expect(windowed('2026-11-21T10:00:00.000000Z')[1]).toBe('2026-11-21T10:30:00.000Z')
  expect(windowed(undefined, '0001-01-01T05:00:00.000000Z')[0]).toBe('0001-01-01T00:00:00.000Z')
})

test.for([
  ['2026-11-21T10:30:00.000000Z', undefined, 'from must be earlier than to'],
  ['2026-01-02T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', 'from must be earlier than to'],
  ['2025-12-31T23:59:59.999000Z', '2026-02-01T00:00:00.000000Z', 'from must be ≥ 2026-01-01T00:00:00.000Z'],
] as const)('from %s to %s is refused', ([from, to, message]) => {
  expect(() => windowOf({ from, to }, NOW)).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ field: 'from', message })] }),
  )
})

test('31 days are allowed', () => {
  expect(windowed('2026-01-01T00:00:00.000000Z', '2026-02-01T00:00:00.000000Z')).toHaveLength(2)
})

test('the summary has every hour that the window touches, also without movements', () => {
  const window = {
    fromMs: Date.parse('2026-11-21T07:59:59.999Z'),
    toMs: Date.parse('2026-11-21T10:00:00.000Z'),
  }
  const found = [{ hour: '2026-11-21T09:00:00.000Z', moves: 3 }]
  expect(summaryOf(window, found, { stepSeconds: 3600 })).toEqual({
    from: '2026-11-21T07:59:59.999Z',
    to: '2026-11-21T10:00:00.000Z',
    hours: [
      { hour: '2026-11-21T07:00:00.000Z', moves: 0 },
      { hour: '2026-11-21T08:00:00.000Z', moves: 0 },
      { hour: '2026-11-21T09:00:00.000Z', moves: 3 },
    ],
  })
  expect(summaryOf(window, [], { stepSeconds: 3600, area: { isDeep: false } }).hours[0]).toEqual({
    hour: '2026-11-21T07:00:00.000Z',
    moves: 0,
    in: 0,
    out: 0,
  })
})
