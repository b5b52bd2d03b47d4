import { fc, SEED } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { test } from '../tracking.fixture.ts'
import { visitsInParts } from './in-parts.fixture.ts'
import { expectedVisits, placeFinder, type Row } from './reference.ts'
import { iso, midnight, MINUTE, pack, shown, storeRows, unpack } from './scene.fixture.ts'

const ORGS = [1, 2]
const ASSETS = 3
/** Two days that are packed, and then days that are not. */
const START = midnight(5)
const LAST_MINUTE = 5 * 24 * 60 - 1

/** An asset is seen in many minutes, and rarely moves. Pauses are about as long as a silence, or longer than a day. */
const rowsOfAsset = fc.array(
  fc.record({
    gap: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 10 }) },
      { weight: 6, arbitrary: fc.integer({ min: 28, max: 62 }) },
      { weight: 1, arbitrary: fc.constantFrom(360, 1_440, 1_500) },
    ),
    repeats: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(60)),
    second: fc.constantFrom(0, 0, 1, 30_000, 59_999),
    isMove: fc.nat(7).map((n) => n === 0),
    place: fc.constantFrom(0, 0, 1, 1, 2, null),
    isLate: fc.nat(5).map((n) => n === 0),
  }),
  { minLength: 60, maxLength: 150, size: 'max' },
)
const scenes = fc.array(rowsOfAsset, { minLength: ASSETS * ORGS.length, maxLength: ASSETS * ORGS.length })
const questions = fc.record({
  minutes: fc.constantFrom(1, 2, 10, 30, 60, 360, 1_440, 1_500),
  from: fc.constantFrom(undefined, undefined, 1_440, 3_000),
  to: fc.constantFrom(undefined, undefined, 4_320, 4_400),
  isDeep: fc.boolean(),
  open: fc.constantFrom(undefined, undefined, undefined, true, false),
  mostRows: fc.constantFrom(50, 400, 300_000),
  limit: fc.constantFrom(3, 20, 200),
})

test(
  'D21.2 visits with a silence do not depend on how much a page reads at once',
  { timeout: 180_000 },
  async ({ tracking }) => {
    const now = Date.now()
    tracking.clock.stoppedAt = now
    const { catalog, db } = tracking
    const houses = ORGS.map((orgId) => {
      const [hall, shelf, yard] = ['Hall', 'Shelf', 'Yard'].map((name) => catalog.location(orgId, name).id)
      const assets = Array.from({ length: ASSETS }, (_, i) => catalog.asset(orgId, `Asset ${i}`).id)
      return { orgId, places: [hall ?? 0, shelf ?? 0, yard ?? 0], assets }
    })
    for (const { places } of houses)
      for (const location of catalog.locations) if (location.id === places[1]) location.parent_id = places[0] ?? null // oxfmt-ignore
    let longest = 0
    for (const [run, scene] of fc.sample(scenes, { seed: SEED, numRuns: 4 }).entries()) {
      for (const table of ['scan', 'movement', 'day_packed', 'position', 'asset_place'] as const)
        await db.deleteFrom(table).execute()
      await tracking.project()
      await unpack(tracking)
      const histories = houses.map(({ assets, places }, house) => {
        const [rows, late]: [Row[], Row[]] = [[], []]
        for (const [i, assetId] of assets.entries()) {
          let minute = -1
          let place: number | null = 0
          for (const one of scene[house * ASSETS + i] ?? []) {
            if (one.isMove) place = one.place
            for (let n = 0; n < one.repeats; n += 1) {
              minute += n === 0 ? one.gap : 1
              if (minute > LAST_MINUTE) break
              const locationId = place === null ? null : (places[place] ?? null)
              ;(one.isLate ? late : rows).push({ assetId, at: START + minute * MINUTE + one.second, locationId }) // oxfmt-ignore
            }
          }
        }
        return { rows, late }
      })
      for (const [i, { orgId }] of houses.entries()) await storeRows(tracking, orgId, histories[i]?.rows ?? []) // oxfmt-ignore
      if (run % 4 !== 2) await pack(tracking)
      for (const [i, { orgId }] of houses.entries()) await storeRows(tracking, orgId, histories[i]?.late ?? []) // oxfmt-ignore
      for (const [n, question] of fc.sample(questions, { seed: SEED + run, numRuns: 16 }).entries()) {
        const { orgId, places } = houses[n % 2] as (typeof houses)[0]
        const { rows = [], late = [] } = histories[n % 2] ?? {}
        const named = question.isDeep ? [places[0] ?? 0, places[2] ?? 0] : undefined
        const [from, to] = [question.from, question.to].map((m) => m && START + m * MINUTE)
        const parentOf = (id: number) => (id === places[1] ? places[0] : null)
        const expected = expectedVisits([...rows, ...late], {
          placeOf: placeFinder(parentOf, named, question.isDeep),
          now,
          maxSilenceMs: question.minutes * MINUTE,
        })
          .filter(
            ({ start, end }) =>
              (to === undefined || start <= to) && (from === undefined || end === null || end >= from),
          ) // oxfmt-ignore
          .filter(({ end }) => question.open === undefined || question.open === (end === null))
          .map(shown)
        const asked = {
          location_id: named,
          include_descendants: question.isDeep,
          from: from && iso(from),
          to: to && iso(to),
          open: question.open,
          max_silence_seconds: question.minutes * 60,
          limit: question.limit,
        }
        const { visits, pages } = await visitsInParts(tracking, orgId, asked, { now, mostRows: question.mostRows }) // oxfmt-ignore
        expect(visits, `run ${run}, ${JSON.stringify(question)}`).toEqual(expected)
        longest = Math.max(longest, pages / (1 + expected.length / question.limit))
      }
    }
    // Pages ended early, so that parts were read across them.
    expect(longest).toBeGreaterThan(3)
  },
)
