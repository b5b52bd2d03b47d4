import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { sql, type Kysely, type KyselyPlugin } from 'kysely'
import { expect, vi } from 'vitest'
import { readBy } from '../../../test/read-by.ts'
import { noRules, store } from '../../../test/store.ts'
import { log, startTracking, test, type Tracking } from '../../../test/tracking.fixture.ts'
import type { Tables } from '../../db.ts'
import { withDays } from '../partitions/missing-days.ts'
import { maintainPartitions } from '../partitions/partitions.loop.ts'
import { listPartitions } from '../partitions/partitions.queries.ts'
import { lockPositions } from '../lock-positions.queries.ts'
import { storeSaves, storeScans } from '../../ingest/rows/store.ts'
import { eraseReference } from '../../../test/positions/erase.fixture.ts'
import { eraseHistory } from '../../ingest/inventory/erase/erase.ts'
import { boundsOf } from '../../ingest/inventory/erase/erase.handlers.ts'
import { minuteOf, type Observation } from '../observation.ts'
import { NOT_READ } from '../cause.ts'
import { DEFAULT_RULES } from '../rules.ts'
import { dayOf, DAY_MS } from './day-rows.ts'
import { countDaysWaiting, packStep } from './packer.ts'

const MINUTE = 60_000
const NOW = Date.now()
const TODAY = dayOf(NOW) * DAY_MS
/** Ten whole days ago. */
const ZERO = TODAY - 10 * DAY_MS

/** Packs until nothing is old enough any more. */
async function packAll(db: Kysely<Tables>, options: Parameters<typeof packStep>[1] = {}): Promise<void> {
  for (;;) if ((await packStep(db, options)).outcome === 'done') return
}

const packing = async (db: Kysely<Tables>) =>
  (
    await sql<{ until: string; touched: number; days: number; rows: number }>`
    select packed_until::date::text as until, (select count(*) from history_touched where day < packed_until) as touched,
      (select count(*) from day_packed) as days, (select count(*) from scan where minute >= packed_until) as rows
    from history_packing`.execute(db)
  ).rows[0]!

type Action =
  | { do: 'read' | 'save'; orgId: number; assetId: number; at: number; place: number | null }
  | { do: 'pack'; days: number; rows: number }
  | { do: 'step'; days: number; rows: number }
  | { do: 'crash'; days: number; rows: number; statement: number }
  | { do: 'drop'; days: number }
  | { do: 'erase'; orgId: number; assetId: number; from: number | undefined; to: number | undefined }

/** Minutes that are near each other and near the ends of days. */
const at = fc
  .tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.oneof(fc.nat(4), fc.integer({ min: 1_437, max: 1_439 })),
    fc.nat(59_999),
  )
  .map(([day, minute, ms]) => ZERO + day * DAY_MS + minute * MINUTE + ms)
const written = fc.record({
  do: fc.constantFrom<'read' | 'save'>('read', 'read', 'read', 'save'),
  orgId: fc.constantFrom(1, 2),
  assetId: fc.constantFrom(1, 2),
  at,
  place: fc.constantFrom(null, 7, 7, 8, 9),
})
const days = fc.integer({ min: 0, max: 6 })
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: written },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      orgId: fc.constantFrom(1, 2),
      assetId: fc.constantFrom(1, 2),
      from: fc.option(at, { nil: undefined }),
      to: fc.option(at, { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pack' as const), days, rows: fc.constantFrom(1, 3, 1_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('step' as const), days, rows: fc.constantFrom(1, 2, 1_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      days,
      rows: fc.constantFrom(1, 3, 1_000),
      statement: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), days }) },
)

async function pack(db: Kysely<Tables>, one: Extract<Action, { days: number }>): Promise<unknown> {
  // Rows of `days` days before the first one are old enough, as time goes by.
  const now = () => ZERO + one.days * DAY_MS + 3 * DAY_MS
  if (one.do === 'pack') return packAll(db, { now, batchRows: one.rows })
  if (one.do === 'step') return void (await packStep(db, { now, batchRows: one.rows }))
  if (one.do === 'crash') {
    const crash = packAll(db.withPlugin(crashAt(one.statement)), { now, batchRows: one.rows })
    return crash.catch((error: unknown) => expect(String(error)).toContain('crashed'))
  }
  return maintainPartitions({ owner: db, retentionDays: 400, log })
}

async function write({ db, view }: Tracking, one: Extract<Action, { at: number }>): Promise<void> {
  const { orgId, at: observedAtMs, place: locationId } = one
  const assetId = orgId * 10 + one.assetId
  const seen = { orgId, assetId, observedAtMs, minute: minuteOf(observedAtMs), locationId }
  const cause = { ...readBy(`reader-${observedAtMs % 3}`), tagId: assetId * 7, scanPointId: 5 }
  if (one.do === 'save' && locationId === null) return
  const deps = { view, rulesOf: () => DEFAULT_RULES, book: noRules(db, view), now: () => NOW }
  const read: Observation = { ...seen, ...cause, rssi: null, isJudged: true }
  const save = { ...seen, ...NOT_READ, rssi: null, isJudged: false, locationId }
  await withDays(db, [observedAtMs], () =>
    db.transaction().execute(async (tx) => {
      if (one.do === 'read') {
        await storeScans(tx, deps, [read])
        return
      }
      const current = await lockPositions(tx, [save])
      if (current[0] === undefined || current[0].minute <= save.minute)
        await storeSaves(tx, deps, current, [save])
    }),
  )
}

/** A copy of the product that packs nothing is the reference, and erases by filtering all rows. Returns what was erased. */
async function perform(tracking: Tracking, one: Action, packs: boolean): Promise<unknown> {
  const { db } = tracking
  if (one.do !== 'erase') {
    if (!('days' in one)) await write(tracking, one)
    else if (packs) await pack(db, one)
    return undefined
  }
  const key = { orgId: one.orgId, assetId: one.orgId * 10 + one.assetId }
  if (!packs) return eraseReference(db, key, one)
  const instant = (ms: number | undefined) => (ms === undefined ? undefined : `${iso(ms).slice(0, -1)}000Z`)
  const bounds = boundsOf({ from: instant(one.from), to: instant(one.to) })
  return db.transaction().execute((tx) => eraseHistory(tx, key, bounds))
}

/** Fails at this statement, as if the process or its connection ended there. */
function crashAt(statement: number): KyselyPlugin {
  let count = 0
  return {
    transformQuery({ node }) {
      count += 1
      if (count === statement) throw new Error('crashed')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

const ASSETS = [1, 2].flatMap((orgId) => [1, 2].map((id) => ({ orgId, assetId: orgId * 10 + id })))

/** All that people and integrations see of the history. */
async function answers(tracking: Tracking) {
  const { db } = tracking
  const found: unknown[] = []
  for (const { orgId, assetId } of ASSETS) {
    for (const path of ['history', 'sightings'])
      for (const query of QUERIES) {
        if (path === 'sightings' && query.includes('sort')) continue
        const response = await tracking.call('GET', `/assets/${assetId}/${path}?${query}`, { orgId })
        expect(response.statusCode).toBe(200)
        found.push([path, query, response.json()])
      }
  }
  for (const orgId of [1, 2])
    for (const instant of INSTANTS) {
      const url = `/reports/asset-locations?at=${new Date(instant).toISOString()}`
      found.push([url, (await tracking.call('GET', url, { orgId })).json()])
    }
  const tables = ['movement', 'position'].map(async (table) => {
    const { rows } = await sql`select * from ${sql.table(table)} order by org_id, asset_id, minute`.execute(
      db,
    )
    return rows
  })
  return [...found, ...(await Promise.all(tables))]
}

const iso = (ms: number) => new Date(ms).toISOString()
const QUERIES = [
  '',
  'limit=2&offset=1',
  'limit=3&sort=event_observed_at',
  'limit=2&offset=2&sort=event_observed_at',
  `from=${iso(ZERO + DAY_MS + 2 * MINUTE + 30_000)}&to=${iso(ZERO + 2 * DAY_MS + MINUTE + 1)}&limit=3`,
  `from=${iso(ZERO + DAY_MS)}&sort=event_observed_at&limit=2`,
  `to=${iso(ZERO + 2 * DAY_MS - 1)}&limit=2`,
]
const INSTANTS = [0, 0.5, 1, 1.999_3, 2, 2.001, 3, 3.5].map((n) => Math.floor(ZERO + n * DAY_MS + 90_500))

test(
  'D22.1 D22.2 packed, erased, unpacked and half packed histories answer like one that is never packed',
  async ({ tracking }) => {
    const reference = await startTracking()
    const both = [tracking, reference]
    for (const each of both) {
      const { db, catalog } = each
      await sql`update history_packing set starts_at = '-infinity'`.execute(db)
      for (const { orgId, assetId } of ASSETS) catalog.asset(orgId, `Asset ${assetId}`, { id: assetId })
      for (const orgId of [1, 2]) for (const id of [7, 8, 9]) catalog.location(orgId, `Place ${id}`, { id })
      await each.project()
    }
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 25, size: 'max' }), async (actions) => {
        for (const { db } of both) {
          await sql`truncate scan, movement, position, asset_place, outbox, day_packed, history_touched`.execute(
            db,
          )
          await sql`update history_packing set packed_until = '-infinity', after_org = null, after_asset = null`.execute(
            db,
          )
        }
        for (const [i, one] of actions.entries()) {
          const next = actions[i + 1]
          // What packs, and the write after it, at once.
          const isBoth = 'days' in one && next && !('days' in next)
          if (i > 0 && 'days' in actions[i - 1]! && !('days' in one)) continue
          const erased = await Promise.all([
            perform(tracking, one, true),
            ...(isBoth ? [perform(tracking, next, true)] : []),
          ])
          const expected = [
            await perform(reference, one, false),
            ...(isBoth ? [await perform(reference, next, false)] : []),
          ]
          expect(erased).toEqual(expected)
        }
        expect(await answers(tracking)).toEqual(await answers(reference))
      }),
      limits(25, 60_000),
    )
    await reference.stop()
  },
  timeLimit(300_000),
)

test('two replicas pack history once, its partitions are dropped, and each row counts once at every moment', async ({
  tracking,
}) => {
  const { db, worker, view, catalog } = tracking
  const places = [1, 2].map((n) => catalog.location(1, `Place ${n}`))
  const assets = [1, 2, 3].map((n) => catalog.asset(1, `Asset ${n}`))
  await tracking.project()
  const seen = assets.flatMap(({ id: assetId }) =>
    Array.from({ length: 10 }, (_, day) =>
      [1, 2, 700].map((minute) => ZERO + day * DAY_MS + minute * MINUTE + 5),
    ).flatMap((instants) =>
      instants.map((observedAtMs): Observation => {
        const locationId = places[Math.floor(observedAtMs / DAY_MS) % 2]!.id
        return {
          orgId: 1,
          assetId,
          observedAtMs,
          minute: minuteOf(observedAtMs),
          locationId,
          ...readBy('dock'),
        }
      }),
    ),
  )
  await store(db, view, seen)
  const history = async () =>
    Promise.all(
      assets.map(async ({ id }) => (await tracking.call('GET', `/assets/${id}/history?limit=100`)).json()),
    )
  const before = await history()
  expect(before.map(({ total_count }) => total_count)).toEqual([30, 30, 30])
  const replicas = [db, worker.db, worker.db].map((each) => packAll(each, { batchRows: 7 }))
  for (let steps = 0; steps < 10; steps += 1) expect(await history()).toEqual(before)
  await Promise.all(replicas)
  expect(await packing(db)).toEqual({
    until: iso(TODAY - 3 * DAY_MS).slice(0, 10),
    touched: 0,
    days: 21,
    rows: 27,
  })
  await maintainPartitions({ owner: db, retentionDays: 400, log })
  const oldest = (await listPartitions(db)).find(({ of }) => of === 'scan')
  expect(oldest?.first).toBe(iso(TODAY - 3 * DAY_MS).slice(0, 10))
  expect(await history()).toEqual(before)
  expect(await countDaysWaiting(db)).toBe(0)
})

test('after an upgrade with older history, packing waits until its time', async ({ tracking }) => {
  const { db, view } = tracking
  await store(db, view, [
    { orgId: 1, assetId: 1, observedAtMs: ZERO, minute: minuteOf(ZERO), locationId: null, ...readBy('dock') },
  ])
  await sql`update history_packing set starts_at = ${iso(NOW + 3_600_000)}`.execute(db)
  expect(await packStep(db)).toEqual({ outcome: 'done', rows: 0 })
  expect(await countDaysWaiting(db)).toBe(0)
  const later = () => NOW + 3_600_001
  expect(await countDaysWaiting(db, later)).toBe(1)
  expect(await packStep(db, { now: later })).toEqual({ outcome: 'packed', rows: 1 })
})

test('D22.1 neighbors of packed rows count: in a report at an instant, for durations and for movements', async ({
  tracking,
}) => {
  const { db, view, catalog } = tracking
  const [dock, shelf, hall] = ['Dock', 'Shelf', 'Hall'].map((name) => catalog.location(1, name).id)
  const { id: assetId } = catalog.asset(1, 'Pallet')
  await tracking.project()
  const hour = (day: number, n: number) => ZERO + day * DAY_MS + n * 3_600_000
  const seen = (observedAtMs: number, locationId: number | undefined): Observation => ({
    orgId: 1, assetId, observedAtMs, minute: minuteOf(observedAtMs), locationId: locationId ?? null, ...readBy('gate'),
  }) // oxfmt-ignore
  await store(db, view, [seen(hour(0, 8), dock), seen(hour(0, 9), shelf), seen(hour(1, 8), shelf)])
  await store(db, view, [seen(hour(9, 12), hall)])
  await packAll(db)
  const placeAt = async (ms: number) =>
    (await tracking.call('GET', `/reports/asset-locations?at=${iso(ms)}`)).json().data[0]?.location_id
  const instants = [hour(0, 7), hour(0, 8), hour(0, 9) - 1, hour(0, 9), hour(1, 7), hour(1, 9), hour(9, 12)]
  expect(await Promise.all(instants.map(placeAt))).toEqual([undefined, dock, dock, shelf, shelf, shelf, hall])
  const durations = async (query: string) =>
    (await tracking.call('GET', `/assets/${assetId}/history?${query}`))
      .json()
      .data.map((row: { duration_seconds: number }) => row.duration_seconds)
  expect(await durations(`from=${iso(hour(0, 9) - 5)}&sort=event_observed_at&limit=1`)).toEqual([3_600])
  expect(await durations(`from=${iso(hour(0, 9) - 5)}&to=${iso(hour(0, 23))}`)).toEqual([3_600])
  await store(db, view, [seen(hour(9, 6), dock)])
  const { rows } = await sql`select from_location_id, to_location_id from movement order by minute`.execute(
    db,
  )
  expect(rows).toEqual([
    { from_location_id: null, to_location_id: dock },
    { from_location_id: dock, to_location_id: shelf },
    { from_location_id: shelf, to_location_id: dock },
    { from_location_id: dock, to_location_id: hall },
  ])
})

test('D22.1 a late read that is being stored while its day is finished is packed with it', async ({
  tracking,
}) => {
  const { db, view, catalog } = tracking
  const { id: assetId } = catalog.asset(1, 'Pallet')
  await tracking.project()
  const seen = (minute: number): Observation => {
    const observedAtMs = ZERO + minute * MINUTE
    return {
      orgId: 1,
      assetId,
      observedAtMs,
      minute: minuteOf(observedAtMs),
      locationId: null,
      ...readBy('gate'),
    }
  }
  await store(db, view, [seen(1), seen(5)])
  for (const late of [2, 3, 4]) {
    await sql`update history_packing set packed_until = '-infinity', after_org = null, after_asset = null`.execute(
      db,
    )
    expect(await packStep(db)).toMatchObject({ outcome: 'packed' })
    let finishing = Promise.resolve()
    await db.transaction().execute(async (tx) => {
      await storeScans(tx, { view, rulesOf: () => DEFAULT_RULES, book: tracking.book }, [seen(late)])
      finishing = packAll(tracking.worker.db)
      await vi.waitUntil(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length > 0
      })
    })
    await finishing
    const history = (await tracking.call('GET', `/assets/${assetId}/history`)).json()
    expect(history.total_count).toBe(late + 1)
  }
})
