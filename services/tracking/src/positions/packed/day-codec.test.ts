import { fc, limits } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { findLastSeen, packDay, unpackDay, unpackSeen, unpackStretches } from './day-codec.ts'
import { MINUTES_OF_DAY, type DayRow } from './day-rows.ts'

const DAY = 20_783
const START = DAY * 86_400_000_000
const MINUTE = 60_000_000
const MAX_ID = Number.MAX_SAFE_INTEGER

const id = fc.oneof(fc.constantFrom(1, 2, 3), fc.integer({ min: 1, max: MAX_ID }))
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
const text = fc.oneof(fc.constantFrom('', 'dock-01', 'Tür 2 ☃'), fc.string())
const source = fc.record({
  reader_key: orNull(text),
  antenna: orNull(fc.integer({ min: 1, max: 4_096 })),
  tag_id: orNull(id),
  location_key: orNull(text),
  scan_point_id: orNull(id),
  empty_scan_point_id: orNull(id),
})
const outvoted = fc.constantFrom(null, null, [{ place: 7, reader_key: 'a', rssi: -60, reads: 2 }])
/** Rarely no whole millisecond of its minute, which is packed in another way. */
const within = fc.oneof(
  { weight: 9, arbitrary: fc.nat(59_999).map((ms) => ms * 1_000) },
  fc.integer({ min: -MINUTE, max: 2 * MINUTE }),
)
const rows = fc
  .record({
    sources: fc.array(source, { minLength: 1, maxLength: 5 }),
    places: fc.array(orNull(id), { minLength: 1, maxLength: 5 }),
    seen: fc.uniqueArray(
      fc.record({
        minute: fc.oneof(fc.nat(5), fc.nat(MINUTES_OF_DAY - 1)),
        within,
        source: fc.nat(),
        place: fc.nat(),
        outvoted,
        isCarried: fc.boolean(),
      }),
      { minLength: 1, maxLength: 200, selector: ({ minute }) => minute },
    ),
  })
  .map(({ sources, places, seen }) =>
    seen
      .toSorted((a, b) => a.minute - b.minute)
      .map((row): DayRow =>
        Object.assign({}, sources[row.source % sources.length]!, {
          minute: row.minute,
          at: START + row.minute * MINUTE + row.within,
          location_id: places[row.place % places.length] ?? null,
          outvoted: row.outvoted as DayRow['outvoted'],
          carried_from: row.isCarried ? START + row.minute * MINUTE - 1_000 : null,
        }),
      ),
  )

describe('a packed day', () => {
  test('D22.1 has the rows that were packed, to the microsecond', () => {
    fc.assert(
      fc.property(rows, (day) => {
        const packed = packDay(DAY, day)
        expect(unpackDay(DAY, packed)).toEqual(day)
        expect(unpackSeen(DAY, packed)).toEqual(
          day.map(({ minute, at, location_id }) => ({ minute, at, location_id })),
        )
      }),
      limits(200),
    )
  })

  test('finds the last row up to an instant as the rows say', () => {
    fc.assert(
      fc.property(rows, fc.nat(MINUTES_OF_DAY * MINUTE), fc.nat(), (day, after, nth) => {
        const ordered = day.map((row, i) => ({ ...row, at: START + row.minute * MINUTE + (i % 60) * 1_000 }))
        const packed = packDay(DAY, ordered)
        const ofRow = ordered[nth % ordered.length]!.at
        for (const us of [START + after, ofRow, ofRow - 1, ofRow + 1]) {
          const last = ordered.findLast(({ at }) => at <= us)
          expect(findLastSeen(DAY, packed, us)).toEqual(
            last && { minute: last.minute, at: last.at, location_id: last.location_id },
          )
        }
      }),
      limits(200),
    )
  })

  test('has the stretches that its rows have, up to a minute and without longer pauses', () => {
    const runs = fc.array(fc.record({ gap: fc.constantFrom(1, 1, 2, 3, 30), second: fc.constantFrom(0, 30, 59), place: fc.constantFrom(1, 1, 1, null) }), { minLength: 1, maxLength: 40 }) // oxfmt-ignore
    const pauses = fc.constantFrom(1, 1.5, 2, 3, 30)
    fc.assert(
      fc.property(runs, pauses, fc.nat(200), fc.boolean(), (gaps, minutes, until, isExact) => {
        let minute = -1
        const day = gaps.map(({ gap, second, place }): DayRow => {
          minute += gap
          const at = START + minute * MINUTE + second * 1_000_000 + (isExact ? 0 : 1)
          return { minute, at, location_id: place, reader_key: 'a', antenna: 1, tag_id: 2, location_key: null, scan_point_id: 3, empty_scan_point_id: null, outvoted: null, carried_from: null } // oxfmt-ignore
        })
        const expected: { at: number; last: number; location_id: number | null }[] = []
        for (const { at, location_id } of day.filter((row) => row.minute < until)) {
          const before = expected.at(-1)
          const goesOn = before?.location_id === location_id && at - before.last <= minutes * MINUTE
          if (before && goesOn) before.last = at
          else expected.push({ at, last: at, location_id })
        }
        const options = { to: START + until * MINUTE, maxUs: minutes * MINUTE }
        expect(unpackStretches(DAY, packDay(DAY, day), options)).toEqual(expected)
      }),
      limits(200),
    )
  })

  test('of 361 minutes at one place has about two bytes a row', () => {
    const day = Array.from({ length: 361 }, (_, i): DayRow => {
      const minute = 480 + i
      return {
        minute,
        at: START + minute * MINUTE + ((i * 7_919) % 3_000) * 1_000,
        location_id: 4_503_599_627_370_496,
        reader_key: 'dock-01',
        antenna: 1 + (i % 7 === 0 ? 1 : 0),
        tag_id: 4_503_599_627_370_497,
        location_key: null,
        scan_point_id: 4_503_599_627_370_498,
        empty_scan_point_id: null,
        outvoted: null,
        carried_from: null,
      }
    })
    const { seen, detail } = packDay(DAY, day)
    expect((seen.length + detail.length) / day.length).toBeLessThan(2)
  })

  test('of another layout, or cut, is refused', () => {
    const packed = packDay(DAY, [
      { minute: 3, at: START + 3 * MINUTE, location_id: 1, reader_key: 'a', antenna: 1, tag_id: 2, location_key: null, scan_point_id: 3, empty_scan_point_id: null, outvoted: null, carried_from: null },
    ]) // oxfmt-ignore
    const seen = Buffer.from(packed.seen)
    seen[0] = (seen[0]! & 0xf0) | 2
    expect(() => unpackSeen(DAY, { ...packed, seen })).toThrow('packed in layout 2')
    expect(() => unpackDay(DAY, { ...packed, detail: packed.detail.subarray(0, 2) })).toThrow('end too early')
  })
})
