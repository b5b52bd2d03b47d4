import { expect, test } from 'vitest'
import { cut, cutByDay, Totals } from './report.ts'
import { daysOf, reportWindow } from './report-window.ts'

const at = (text: string) => Date.parse(`2026-${text}Z`)
const span = (from: number, to: number, assetId = 1) => ({ assetId, place: 5, fromMs: from, toMs: to })

test('D21.3 median and 95th percentile are of the nearest rank, and a limit counts what is longer', () => {
  const totals = new Totals<string>()
  for (const [i, seconds] of [40, 10, 30, 20].entries())
    totals.add('a', span(0, seconds * 1_000 + 999, i % 3))
  for (let seconds = 1; seconds <= 20; seconds += 1) totals.add('b', span(0, seconds * 1_000))
  expect(totals.figures(20)).toEqual([
    ['a', { visits: 4, assets: 3, seconds_total: 100, seconds_median: 20, seconds_p95: 40, over_limit: 2 }],
    ['b', { visits: 20, assets: 1, seconds_total: 210, seconds_median: 10, seconds_p95: 19, over_limit: 0 }],
  ])
  expect(totals.figures(undefined).map(([, { over_limit }]) => over_limit)).toEqual([null, null])
})

test('D21.4 a visit is cut at both ends; one that ends where the time begins is not in it', () => {
  const window = { fromMs: 100, toMs: 200 }
  expect(cut(span(50, 300), window)).toEqual(span(100, 200))
  expect(cut(span(120, 120), window)).toEqual(span(120, 120))
  expect(cut(span(100, 100), window)).toEqual(span(100, 100))
  for (const [from, to] of [
    [0, 100],
    [200, 300],
    [200, 200],
    [50, 50],
  ] as const)
    // oxfmt-ignore
    expect(cut(span(from, to), window), `${from} to ${to}`).toBeUndefined()
})

test.for([
  ['Europe/Berlin', '10-24T12:00', '10-26T12:00', ['10-24T22:00', '10-25T23:00'], [10, 25, 13]],
  ['America/New_York', '03-07T12:00', '03-09T12:00', ['03-08T05:00', '03-09T04:00'], [17, 23, 8]],
  ['UTC', '11-21T12:00', '11-22T12:00', ['11-22T00:00'], [12, 12]],
  ['Asia/Kathmandu', '11-21T18:00', '11-22T18:30', ['11-21T18:15', '11-22T18:15'], [0.25, 24, 0.25]],
] as const)('D21.4 days begin at midnight in %s', ([zone, from, to, midnights, hours]) => {
  const days = daysOf({ fromMs: at(from), toMs: at(to) }, zone)
  expect(days.slice(1).map(({ fromMs }) => fromMs)).toEqual(midnights.map(at))
  const parts = [...cutByDay(span(at(from), at(to)), days)]
  expect(parts.map(([, part]) => (part.toMs - part.fromMs) / 3_600_000)).toEqual(hours)
  const dates = parts.map(([date]) => date)
  expect(dates).toEqual(dates.toSorted())
  expect(new Set(dates).size).toBe(hours.length)
})

test('D21.3 a report is of seven days unless it says otherwise, and of 92 at most', () => {
  const now = at('11-21T12:00')
  expect(reportWindow({}, now)).toEqual({ fromMs: at('11-14T12:00'), toMs: now })
  const from = '2026-08-21T12:00:00.000000Z'
  expect(reportWindow({ from }, now)).toEqual({ fromMs: Date.parse(from), toMs: now })
  const max = '2026-11-21T12:00:00.000Z'
  expect(() => reportWindow({ from }, now + 1)).toThrowError(
    expect.objectContaining({ fields: [expect.objectContaining({ field: 'to', code: 'too_large', params: { max } })] }), // oxfmt-ignore
  )
  expect(() => reportWindow({ from, to: from }, now)).toThrowError(
    expect.objectContaining({ fields: [expect.objectContaining({ field: 'from', code: 'invalid_value' })] }),
  )
})
