import { describe, expect, test } from 'vitest'
import {
  barAt,
  chartOf,
  countIn,
  partAfterKey,
  partOf,
  selectedOf,
  selecting,
  selectingAll,
  wholeOf,
  type Bins,
} from './brush.ts'
import { exportPages } from './export-pages.ts'
import { DEFAULTS, queryOf, type Filter } from './filter.ts'
import { csvOf, CSV_HEAD } from './movement-csv.ts'

const NOW = Date.parse('2026-11-25T10:00:20.000Z')
const MINUTE = 60_000
const local = (text: string) => new Date(text).getTime()

test('a span of minutes ends now, an own one at its end; a location has its sub-locations unless they are left out', () => {
  expect(queryOf(DEFAULTS, NOW)).toEqual({ from: '2026-11-25T09:00:20.000Z' })
  const own = { ...DEFAULTS, span: 'own', from: '2026-11-24T08:00', to: '' }
  expect(queryOf(own, NOW)).toEqual({ from: new Date('2026-11-24T08:00').toISOString() })
  expect(queryOf({ ...own, from: '', location: '7', asset: '9', inside: 'no' }, NOW)).toEqual({
    location_id: [7],
    include_descendants: false,
    asset_id: [9],
  })
})

test('types are those of the address that exist; all of them are no filter', () => {
  const typesOf = (type: string) => queryOf({ ...DEFAULTS, type }, NOW).type
  expect(typesOf('')).toBeUndefined()
  expect(typesOf('inventory,boat,asset')).toEqual(['asset', 'inventory'])
  expect(typesOf('inventory,asset,person')).toBeUndefined()
})

const thing = (id: number, name: string | null) => ({ id, external_key: name && `K-${id}`, name })
const movement = (name: string) => ({
  occurred_at: '2026-11-25T10:00:00.000Z',
  asset: thing(1, name),
  from_location: null,
  to_location: thing(2, null),
  dwell_seconds: 60,
})

test('a file for spreadsheets keeps quotes, has ids and keys, and no formulas', () => {
  expect(CSV_HEAD).toBe(
    '\uFEFFoccurred_at,asset_id,asset_external_key,asset_name,from_id,from_external_key,from_name,to_id,to_external_key,to_name,dwell_seconds\r\n',
  )
  const textOf = (name: string) => csvOf([movement(name)]).split(',')[3]
  expect(csvOf([movement('=Pump "7"')])).toBe(
    `"2026-11-25T10:00:00.000Z","1","K-1","'=Pump ""7""","","","","2","","","60"\r\n`,
  )
  expect(['-1', '\n=1', "'=1", '＝1', 'a=1'].map(textOf)).toEqual([
    `"'-1"`,
    `"'\n=1"`,
    `"''=1"`,
    `"'＝1"`,
    '"a=1"',
  ])
})

describe('an export', () => {
  /** Three pages of two. */
  const pages = (after: string | undefined) => {
    const at = Number(after ?? 0)
    const data = [movement(`A${at}`), movement(`B${at}`)]
    return Promise.resolve({ data, cursor: at < 2 ? String(at + 1) : null })
  }

  test('has the rows of all pages, in their order, and tells its progress', async () => {
    const progress: number[] = []
    const { file, rows, isCut } = await exportPages(pages, (n) => progress.push(n))
    const names = (await file.text()).split('\r\n').map((line) => line.split(',')[3])
    expect(names).toEqual(['asset_name', '"A0"', '"B0"', '"A1"', '"B1"', '"A2"', '"B2"', undefined])
    expect({ rows, isCut, progress }).toEqual({ rows: 6, isCut: false, progress: [2, 4, 6] })
  })

  test.for([
    { most: 3, rows: 3, isCut: true },
    { most: 4, rows: 4, isCut: true },
    { most: 6, rows: 6, isCut: false },
  ])('stops at $most rows', async ({ most, rows, isCut }) => {
    expect(await exportPages(pages, () => undefined, most)).toMatchObject({ rows, isCut })
  })
})

describe('the part of a chart', () => {
  const own: Filter = { ...DEFAULTS, span: 'own', from: '2026-11-24T08:02', to: '2026-11-24T10:00' }
  /** Bars of five minutes, the first of which began before the range. */
  const bins: Bins = {
    ...(chartOf(own, NOW) ?? { fromMs: 0, toMs: 0, stepMs: 0, isCut: false }),
    starts: Array.from({ length: 24 }, (_, i) => local('2026-11-24T08:00') + i * 5 * MINUTE),
    counts: Array.from({ length: 24 }, (_, i) => i),
  }

  test('a chart has at most 100 bars and 31 days', () => {
    const stepOf = (minutes: number) => chartOf({ ...DEFAULTS, span: String(minutes) }, NOW)?.stepMs
    expect([10, 60, 100, 101, 1440].map(stepOf)).toEqual([1, 1, 1, 5, 15].map((n) => n * MINUTE))
    const open = { ...DEFAULTS, span: 'own', from: '', to: '' }
    expect(chartOf(open, NOW)).toEqual({
      fromMs: NOW - 31 * 1440 * MINUTE,
      toMs: NOW,
      stepMs: 720 * MINUTE,
      isCut: true,
    })
    expect(chartOf({ ...own, to: own.from }, NOW)).toBeUndefined()
    expect(chartOf(own, NOW)).toMatchObject({
      fromMs: local(own.from),
      toMs: local(own.to),
      stepMs: 5 * MINUTE,
    })
  })

  test('is an own range that stays within the whole one, and leads back to it', () => {
    expect(selectedOf(own, bins)).toEqual([0, 24])
    const change = selecting(own, bins, [0, 3])
    expect(change).toEqual({
      span: 'own',
      from: '2026-11-24T08:02',
      to: '2026-11-24T08:15',
      whole: '2026-11-24T08:02/2026-11-24T10:00',
    })
    const brushed = { ...own, ...change }
    expect(selectedOf(brushed, bins)).toEqual([0, 3])
    expect(chartOf(brushed, NOW)).toEqual(chartOf(own, NOW))
    const further = { ...brushed, ...selecting(brushed, bins, [5, 24]) }
    expect(further).toMatchObject({ from: '2026-11-24T08:25', to: '2026-11-24T10:00', whole: brushed.whole })
    expect({ ...further, ...selectingAll(further) }).toEqual(own)
    expect({ ...further, ...selecting(further, bins, [0, 24]) }).toEqual(own)
    expect(countIn(bins, [2, 5])).toBe(2 + 3 + 4)
  })

  test('of a span goes back to it, also after the span has left it behind', () => {
    const chart = chartOf(DEFAULTS, NOW)
    if (!chart) throw new Error('there is no chart')
    const first = Math.floor(chart.fromMs / MINUTE) * MINUTE
    const starts = Array.from({ length: 61 }, (_, i) => first + i * MINUTE)
    const hour = { ...chart, starts, counts: starts.map(() => 1) }
    const part = { ...DEFAULTS, ...selecting(DEFAULTS, hour, [58, 61]) }
    expect(part).toMatchObject({ span: 'own', whole: '60' })
    expect([local(part.from), local(part.to)]).toEqual([first + 58 * MINUTE, first + 61 * MINUTE])
    expect(selectedOf(part, hour)).toEqual([58, 61])
    expect(chartOf(part, NOW)).toEqual(chart)
    expect(chartOf(part, NOW + 1440 * MINUTE)?.fromMs).toBe(local(part.from))
    expect({ ...part, ...selectingAll(part) }).toEqual(DEFAULTS)
    expect(wholeOf({ ...DEFAULTS, whole: 'nonsense' })).toMatchObject({ span: '60' })
  })

  test('is moved to an end by a key, and keeps a bar', () => {
    const after = (key: string, handle: 0 | 1) => partAfterKey(key, handle, [3, 7], 24)
    expect([after('Home', 0), after('End', 0)]).toEqual([
      [0, 7],
      [6, 7],
    ])
    expect([after('Home', 1), after('End', 1), after('a', 1)]).toEqual([[3, 4], [3, 24], undefined])
  })

  test('of a pointer is at least the bar below it', () => {
    expect([-0.5, 0, 0.49, 0.5, 1, 2].map((share) => barAt(share, 2))).toEqual([0, 0, 0, 1, 1, 1])
    expect([partOf(4, 4), partOf(7, 4)]).toEqual([
      [4, 5],
      [4, 8],
    ])
  })
})
