import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { buffersOfFixedPlan } from '@whereabouts/testing/database/fixed-plan'
import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { expect } from 'vitest'
import { recordStatements, type Statement } from '../../../test/reports/plans.fixture.ts'
import { createPastDays } from '../../../test/partitions.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import type { Tables } from '../../db.ts'
import { firstPageReader } from './first-pages.queries.ts'
import { toHistoryRows } from './history.views.ts'
import { readPage, seen, type ReadPage } from './page.queries.ts'

const MINUTE_US = 60_000_000

type Row = { at: number; locationId: number | null }

/** `firstPageReader`, and the organization of each statement that it has sent. */
function counted(tenants: Pick<Tracking['tenants'], 'forOrg'>) {
  const statements: number[] = []
  const forOrg = (orgId: number) => {
    statements.push(orgId)
    return tenants.forOrg(orgId)
  }
  return { read: firstPageReader({ forOrg }), statements }
}

const alone = (db: Kysely<Tables>, orgId: number, assetId: number, limit: number) =>
  readPage({ db, orgId, assetId }, {}, { limit, offset: 0, descending: true }, seen)

/** To the microsecond. */
const exactly = ({ entries, before, total }: ReadPage) => ({
  rows: [...entries, before].map((entry) => [entry?.at, entry?.location_id]),
  total,
})

const bytesOf = (page: ReadPage) =>
  JSON.stringify({ data: toHistoryRows(page, true, (id) => `KEY-${id}`), total_count: page.total })

/** Without movements: the trigger for the older release would add them row by row. */
const insertScans = async ({ db }: Tracking, days: number, insertion: RawBuilder<unknown>) => {
  await createPastDays(db, days)
  await db.transaction().execute(async (tx) => {
    await sql`select set_config('whereabouts.writes_movements', 'on', true)`.execute(tx)
    await insertion.execute(tx)
  })
}

/** `at` is in microseconds before the end of the last whole minute. */
async function insert(
  tracking: Tracking,
  orgId: number,
  assetId: number,
  rows: readonly Row[],
): Promise<void> {
  await insertScans(
    tracking,
    15,
    sql`
    insert into scan (org_id, asset_id, minute, observed_at, location_id)
    select ${orgId}, ${assetId}, date_trunc('minute', at), at, place
    from unnest(${rows.map(({ at }) => at)}::bigint[], ${rows.map(({ locationId }) => locationId)}::bigint[]) as row (us, place)
    cross join lateral (select date_trunc('minute', now()) - us * interval '1 microsecond') as t (at)`,
  )
}

const row = fc.record({
  minute: fc.integer({ min: 0, max: 20_000 }),
  micros: fc.oneof(
    fc.constantFrom(1, 2, 1_000, 999_999, 1_000_000, 59_999_999),
    fc.integer({ min: 1, max: MINUTE_US }),
  ),
  locationId: fc.constantFrom(null, 7, 2 ** 40, Number.MAX_SAFE_INTEGER),
})
const LIMITS = [3, 40, 50]
/** None, and around exactly one page, at each of the limits. */
const count = fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 39, 40, 41, 49, 50, 51), fc.nat(60))
const history = count.chain((length) =>
  fc.uniqueArray(row, { minLength: length, maxLength: length, selector: ({ minute }) => minute }),
)

test(
  'shared first pages have the same bytes as single ones, whatever shares a statement',
  async ({ tracking }) => {
    let assetId = 0
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 6 }), async (histories) => {
        const ids = histories.map(() => (assetId += 1))
        for (const [i, rows] of histories.entries())
          await insert(tracking, 1, ids[i]!, rows.map(({ minute, micros, locationId }) => ({ at: minute * MINUTE_US + micros, locationId }))) // oxfmt-ignore
        const { read, statements } = counted(tracking.tenants)
        const wanted = ids.flatMap((id) => LIMITS.map((limit) => ({ assetId: id, limit })))
        const shared = await Promise.all(wanted.map((one) => read(1, one)))
        expect(statements.length).toBe(Math.ceil(wanted.length / 16))
        for (const [i, one] of wanted.entries()) {
          const single = await alone(tracking.tenants.forOrg(1), 1, one.assetId, one.limit)
          expect(exactly(shared[i]!)).toEqual(exactly(single))
          expect(bytesOf(shared[i]!)).toBe(bytesOf(single))
          expect(single.total).toBe(histories[Math.floor(i / LIMITS.length)]!.length)
        }
      }),
      limits(20),
    )
  },
  timeLimit(60_000),
)

test('an answered reply of many readers at once is that of one reader', async ({ tracking }) => {
  const asset = tracking.catalog.asset(1, 'Pallet')
  await tracking.project()
  await insert(
    tracking,
    1,
    asset.id,
    [1, 2, 3].map((n) => ({ at: n * MINUTE_US + 1, locationId: null })),
  )
  for (const [limit, total_count] of [
    [2, 3],
    [3, 3],
    [50, 3],
  ] as const) {
    const path = `/assets/${asset.id}/history?limit=${limit}`
    const one = (await tracking.call('GET', path)).body
    expect(JSON.parse(one)).toMatchObject({ limit, offset: 0, total_count })
    expect(JSON.parse(one).data.map((r: { duration_seconds: number }) => r.duration_seconds)).toEqual(
      [60, 60, null].slice(0, limit),
    )
    const many = await Promise.all(Array.from({ length: 20 }, () => tracking.call('GET', path)))
    expect(many.map(({ body }) => body)).toEqual(many.map(() => one))
  }
})

test('organizations with the same assets see nothing of each other', async ({ tracking }) => {
  for (const orgId of [1, 2])
    for (const assetId of [7, 8])
      await insert(tracking, orgId, assetId, [{ at: MINUTE_US, locationId: orgId * 10 + assetId }])
  await insert(tracking, 2, 9, [{ at: MINUTE_US, locationId: 99 }])
  const { read, statements } = counted(tracking.tenants)
  for (let round = 1; round <= 3; round += 1) {
    const places = await Promise.all(
      [1, 2].map((orgId) =>
        Promise.all(
          [7, 8, 9].map(
            async (assetId) => (await read(orgId, { assetId, limit: 5 })).entries[0]?.location_id,
          ),
        ),
      ),
    )
    expect(places).toEqual([
      [17, 18, undefined],
      [27, 28, 99],
    ])
    expect(statements).toHaveLength(2 * round)
  }
})

test('a failing statement fails its pages as each would fail alone, and the next pages succeed', async ({
  tracking,
}) => {
  await insert(tracking, 1, 7, [{ at: MINUTE_US, locationId: 70 }])
  const hasty = openTenantDatabase<Tables>(tracking.url, { max: 3, name: 'hasty', readTimeoutMs: 100 })
  const { read } = counted(hasty)
  for (let round = 1; round <= 3; round += 1) {
    const client = await tracking.pool.connect()
    await client.query('begin; lock table scan in access exclusive mode')
    const failed = await Promise.allSettled([alone(hasty.forOrg(1), 1, 7, 5), ...[7, 8].map((assetId) => read(1, { assetId, limit: 5 }))]) // oxfmt-ignore
    await client.query('rollback')
    client.release()
    expect(failed[0]).toMatchObject({ status: 'rejected', reason: { code: '57014' } })
    expect(failed.slice(1)).toEqual([failed[0], failed[0]])
    expect(await read(1, { assetId: 7, limit: 5 })).toMatchObject({ total: 1 })
  }
  await hasty.close()
})

const LARGE = 1_000
const PAGES = 16
const LIMIT = 5
const ROWS = 40

test.for([
  ['of a large organization among many small ones, for which the plan is made', 1_500, 1],
  ['of a tiny organization beside a large one', 1, 2],
] as const)(
  'one plan for all organizations reads only the pages %s',
  async ([, small, orgId], { tracking }) => {
    await insertScans(
      tracking,
      3,
      sql`
    insert into scan (org_id, asset_id, minute, observed_at, location_id)
    select case when i > ${LARGE}::bigint then i - ${LARGE}::bigint + 1 else 1 end, i, date_trunc('minute', at), at, 7
    from generate_series(1, ${LARGE + small}::bigint) as i, generate_series(1, ${ROWS}::bigint) as n
    cross join lateral (select now() - n * interval '1 hour') as t (at)`,
    )
    await sql`vacuum analyze scan`.execute(tracking.db)
    const sent: Statement[] = []
    const database = openTenantDatabase<Tables>(tracking.url, {
      max: 2,
      name: 'plans',
      settings: plannerSettings,
    })
    const read = firstPageReader({ forOrg: (org) => recordStatements(database.forOrg(org), sent) })
    const ids = Array.from({ length: PAGES }, (_, i) => LARGE + 1 - i * 7)
    const pages = await Promise.all(ids.map((assetId) => read(orgId, { assetId, limit: LIMIT })))
    expect(pages.filter(({ total }) => total === ROWS)).toHaveLength(orgId === 1 ? PAGES - 1 : 1)
    await alone(recordStatements(database.forOrg(orgId), sent), orgId, ids[orgId === 1 ? 1 : 0]!, LIMIT)
    const [shared, single] = await Promise.all(
      [sent[0]!, sent.findLast(({ text }) => text.includes('page as materialized'))!].map(
        ({ text, values }) => {
          const literals = values.map((value) => (Array.isArray(value) ? `{${value.join()}}` : value))
          const asked = { role: 'test_tracking_tenant', orgId, text, values: literals }
          return buffersOfFixedPlan(tracking.pool, asked)
        },
      ),
    )
    // Not an absolute number: a vacuum beside other tests leaves more or less to read.
    expect(shared).toBeLessThanOrEqual(PAGES * single!)
    await database.close()
  },
)
