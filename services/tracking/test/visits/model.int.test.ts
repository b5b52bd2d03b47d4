import { fc, SEED } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { test, type Tracking } from '../tracking.fixture.ts'
import { visitsInParts } from './in-parts.fixture.ts'
import {
  daysIn,
  expectedReport,
  expectedVisits,
  placeFinder,
  type ExpectedVisit,
  type Row,
} from './reference.ts'
import { allVisits, call, iso, midnight, MINUTE, pack, seen, setZone, shown, storeRows, unpack, type Query } from './scene.fixture.ts' // oxfmt-ignore

const SECONDS = Number(process.env['TRACKING_MODEL_SECONDS'] ?? 20)
const ORGS = [1, 2]
const ASSETS = 4
const TYPES = ['asset', 'person', 'inventory'] as const

/** Days that are packed, and days that are not. */
const START = midnight(8)
const LAST_MINUTE = 8 * 24 * 60 - 1

/** Rows come close together or far apart; few places, so that assets come back. */
const rowsOfAsset = fc.array(
  fc.record({
    gap: fc.oneof(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 200, max: 3_000 }),
    ),
    second: fc.oneof(fc.constantFrom(0, 59_999), fc.integer({ min: 0, max: 59_999 })),
    place: fc.oneof({ arbitrary: fc.constant(null), weight: 1 }, { arbitrary: fc.nat(5), weight: 5 }),
    repeats: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
    isLate: fc.nat(5).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 25 },
)
const scenes = fc.record({
  histories: fc.array(rowsOfAsset, { minLength: ASSETS * ORGS.length, maxLength: ASSETS * ORGS.length }),
  parents: fc.array(fc.option(fc.nat(4)), { minLength: 6, maxLength: 6 }),
  later: fc.array(fc.option(fc.nat(4)), { minLength: 6, maxLength: 6 }),
  deleted: fc.nat(ASSETS - 1),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
})
const questions = fc.record({
  from: fc.option(fc.integer({ min: 0, max: LAST_MINUTE }), { nil: undefined }),
  minutes: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }),
  named: fc.option(fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  isDeep: fc.option(fc.boolean(), { nil: undefined }),
  assets: fc.option(fc.uniqueArray(fc.nat(ASSETS - 1), { minLength: 1, maxLength: 2 }), { nil: undefined }),
  type: fc.option(fc.constantFrom(...TYPES), { nil: undefined }),
  minSeconds: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
  open: fc.option(fc.boolean(), { nil: undefined }),
  silence: fc.option(fc.integer({ min: 60, max: 100_000 }), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 7 }),
  mostRows: fc.constantFrom(5, 40, 300),
  groupBy: fc.constantFrom('location', 'asset', 'asset_type', 'day'),
  limitSeconds: fc.integer({ min: 0, max: 10_000 }),
})
type Scene = typeof scenes extends fc.Arbitrary<infer T> ? T : never
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never

/** The state of an organization, in the memory of the test. */
class Warehouse {
  readonly assets
  readonly locations
  readonly rows: Row[] = []
  readonly late: Row[] = []

  readonly orgId: number
  readonly #tracking: Tracking

  constructor(tracking: Tracking, orgId: number) {
    this.#tracking = tracking
    this.orgId = orgId
    const { catalog } = tracking
    this.assets = Array.from({ length: ASSETS }, (_, i) =>
      catalog.asset(orgId, `Asset ${i}`, { type: TYPES[i % TYPES.length] ?? 'asset' }),
    )
    this.locations = Array.from({ length: 6 }, (_, i) => catalog.location(orgId, `Place ${i}`))
  }

  move(parents: Scene['parents']): void {
    // A parent has a lower number, so that there is no circle.
    for (const [i, parent] of parents.entries()) {
      const location = this.locations[i]
      const parent_id = parent !== null && parent < i ? (this.locations[parent]?.id ?? null) : null
      if (location) this.#tracking.catalog.change(location, { parent_id })
    }
  }

  write(histories: Scene['histories']): void {
    for (const [i, history] of histories.entries()) {
      let minute = 0
      for (const { gap, second, place, repeats, isLate } of history)
        for (let n = 0; n < repeats; n += 1) {
          minute += n === 0 ? gap : 1
          if (minute > LAST_MINUTE) break
          const locationId = place === null ? null : (this.locations[place]?.id ?? null)
          const row = { assetId: this.assets[i]?.id ?? 0, at: START + minute * MINUTE + second, locationId }
          ;(isLate ? this.late : this.rows).push(row)
        }
    }
  }

  parentOf = (id: number) => this.locations.find((location) => location.id === id)?.parent_id
}

const idsAt = (things: readonly { id: number }[], indexes: readonly number[] | undefined) =>
  indexes?.map((i) => things[i]?.id ?? 0)

function filterOf(house: Warehouse, { named, isDeep, assets, type }: Question) {
  const query: Query = {
    location_id: idsAt(house.locations, named),
    include_descendants: isDeep,
    asset_id: idsAt(house.assets, assets),
    asset_type: type,
  }
  const placeOf = placeFinder(house.parentOf, idsAt(house.locations, named), isDeep ?? false)
  const isWanted = ({ assetId }: ExpectedVisit) =>
    (assets === undefined || assets.some((i) => house.assets[i]?.id === assetId)) &&
    (type === undefined || house.assets.find(({ id }) => id === assetId)?.type === type)
  return { query, placeOf, isWanted }
}

async function compareList(tracking: Tracking, house: Warehouse, question: Question, now: number) {
  const { query, placeOf, isWanted } = filterOf(house, question)
  const from = question.from === undefined ? undefined : START + question.from * MINUTE
  const to = question.minutes === undefined ? undefined : (from ?? START) + question.minutes * MINUTE
  const { minSeconds = 0, open, silence, limit } = question
  const expected = expectedVisits([...house.rows, ...house.late], {
    placeOf,
    now,
    maxSilenceMs: silence === undefined ? undefined : silence * 1_000,
  })
    .filter(isWanted)
    .filter(
      ({ start, end }) =>
        (to === undefined || start <= to) && (from === undefined || end === null || end >= from),
    )
    .filter(({ end }) => open === undefined || open === (end === null))
    .map(shown)
    .filter(({ seconds }) => seconds >= minSeconds)
  const asked = {
    ...query,
    from: from && iso(from),
    to: to && iso(to),
    min_seconds: question.minSeconds,
    open,
    max_silence_seconds: silence,
    limit,
  }
  const found = await allVisits(tracking, house.orgId, asked)
  expect(found.map(seen), JSON.stringify(asked)).toEqual(expected)
  if (silence === undefined) return
  const { visits } = await visitsInParts(tracking, house.orgId, asked, { now, mostRows: question.mostRows })
  expect(visits, `${question.mostRows} rows a part`).toEqual(expected)
}

async function compareReport(
  tracking: Tracking,
  house: Warehouse,
  question: Question,
  { zone, now }: { zone: string; now: number },
) {
  const { query, placeOf, isWanted } = filterOf(house, question)
  const from = START + (question.from ?? 0) * MINUTE
  const to = from + (question.minutes ?? 7 * 24 * 60) * MINUTE
  const { groupBy, limitSeconds } = question
  const days = daysIn(zone, from, to)
  const visits = expectedVisits([...house.rows, ...house.late], { placeOf, now }).filter(isWanted)
  const expected = expectedReport(visits, { from, to, limitSeconds }, (visit, start, end) => {
    if (groupBy === 'location') return [[String(visit.place), start, end]]
    if (groupBy === 'asset') return [[String(visit.assetId), start, end]]
    if (groupBy === 'asset_type')
      return [[house.assets.find(({ id }) => id === visit.assetId)?.type ?? '', start, end]]
    return days.flatMap(([date, first, last]): [string, number, number][] =>
      start < last && (end > first || start >= first)
        ? [[date, Math.max(start, first), Math.min(end, last)]]
        : [],
    )
  })
  const res = await call(tracking, house.orgId, '/reports/visits', {
    ...query,
    from: iso(from),
    to: iso(to),
    group_by: groupBy,
    limit_seconds: limitSeconds,
    limit: 200,
  })
  expect(res.statusCode, res.body).toBe(200)
  const { data, total_count } = res.json<{
    data: ({ group: { id: number | null; name: string | null } } & Record<string, unknown>)[]
    total_count: number
  }>()
  const found = new Map(data.map(({ group, ...figures }) => [String(group.id ?? group.name), figures]))
  expect(found).toEqual(expected)
  expect(total_count).toBe(expected.size)
  const order = data.map(({ group, seconds_total }) => (groupBy === 'day' ? (group.name ?? '') : -Number(seconds_total))) // oxfmt-ignore
  expect(order).toEqual(order.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
}

test(
  'D21.2 D21.3 visits and their report are those of a reference, with packed days and late reads',
  { timeout: SECONDS * 1_000 + 120_000 },
  async ({ tracking }) => {
    const seed = process.env['TRACKING_MODEL_SECONDS'] === undefined ? SEED : Date.now()
    const until = Date.now() + SECONDS * 1_000
    const now = Date.now()
    tracking.clock.stoppedAt = now
    let runs = 0
    for (const scene of fc.sample(scenes, { seed, numRuns: 1_000 })) {
      if (runs > 0 && Date.now() > until) break
      runs += 1
      await tracking.db.deleteFrom('asset_place').execute()
      const houses = ORGS.map((orgId) => new Warehouse(tracking, orgId))
      for (const [i, house] of houses.entries()) {
        house.move(scene.parents)
        house.write(scene.histories.slice(i * ASSETS, (i + 1) * ASSETS))
      }
      for (const orgId of ORGS)
        for (const table of ['scan', 'movement', 'day_packed', 'position'] as const)
          await tracking.db.deleteFrom(table).where('org_id', '=', orgId).execute()
      await tracking.project()
      await unpack(tracking)
      for (const { orgId, rows } of houses) await storeRows(tracking, orgId, rows)
      if (runs % 2 === 0) await pack(tracking)
      for (const { orgId, late } of houses) await storeRows(tracking, orgId, late)
      for (const house of houses) {
        house.move(scene.later)
        const deleted = house.assets[scene.deleted]
        if (deleted) tracking.catalog.change(deleted, { deleted_at: iso(now) })
      }
      await tracking.project()
      for (const orgId of ORGS) setZone(tracking, orgId, runs, scene.zone)
      for (const [n, question] of fc.sample(questions, { seed: seed + runs, numRuns: 16 }).entries()) {
        const house = houses[n % houses.length]
        if (!house) continue
        try {
          await compareList(tracking, house, question, now)
          await compareReport(tracking, house, question, { zone: scene.zone, now })
        } catch (error) {
          throw new Error(`seed ${seed}, run ${runs}, question ${n}: ${JSON.stringify(question)}`, { cause: error }) // oxfmt-ignore
        }
      }
    }
    expect(runs).toBeGreaterThan(2)
    console.info(`${runs} random histories, seed ${seed}`)
  },
)
