import { foldAssetCounts } from '@whereabouts/db/schema/asset-counts'
import { openDatabase } from '@whereabouts/db/connect/database'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { ORG_SETTING } from '@whereabouts/db/tenant/tenant-database'
import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { sql, type Kysely } from 'kysely'
import { expect, vi } from 'vitest'
import { up as startCounting } from '../../migrations/0013_asset_count.ts'
import type { Catalog } from '../../test/catalog.fixture.ts'
import { test, type Imports } from '../../test/imports.fixture.ts'
import type { Tables } from '../db.ts'
import { listAssets } from './assets.lists.ts'

const steps = ['create', 'createAt', 'window', 'rename', 'delete', 'restore', 'import', 'bulk'] as const
type Step = { kind: (typeof steps)[number]; org: 0 | 1; pick: number }

/** One user may have three unfinished imports. */
const WRITERS = 3
const writer = fc.array(
  fc.record({
    kind: fc.constantFrom(...steps),
    org: fc.constantFrom(0 as const, 1 as const),
    pick: fc.nat(1_000),
  }),
  { minLength: 12, maxLength: 20 },
)

/** A window that begins and ends within the next moments. */
const soon = (pick: number) => ({
  valid_from: new Date(Date.now() + (pick % 7) * 10).toISOString(),
  valid_to: new Date(Date.now() + 80 + (pick % 11) * 10).toISOString(),
})

/** Some change of one of two organizations, as a request, an import or a statement of an operator. */
async function change(catalog: Catalog, imports: Imports, ids: number[], org: number, { kind, pick }: Step) {
  const id = ids[pick % Math.max(1, ids.length)] ?? 0
  const path = `/assets/${id}`
  const rows = Array.from({ length: 1 + (pick % 5) }, (_, i) => `KEY-${(pick + i) % 40},Crate ${pick}`)
  const until = pick % 2 === 0 ? soon(pick).valid_to : ''
  const ways = {
    create: async () => ids.push((await catalog.asset({}, { org })).id),
    createAt: async () => ids.push((await catalog.asset(soon(pick), { org })).id),
    window: () => catalog.patch(path, soon(pick), { org }),
    rename: () => catalog.patch(path, { name: `Crate ${pick}` }, { org }),
    delete: () => catalog.delete(path, { org }),
    restore: () => catalog.post(`${path}/restore`, {}, { org }),
    import: () =>
      imports.run('assets', ['external_key,name,valid_to', ...rows.map((row) => `${row},${until}`)].join('\n'), { org }),
    bulk: () =>
      sql`update asset set deleted_at = case when deleted_at is null then now() end
          where org_id = ${org} and external_key = ${`KEY-${pick % 40}`} and revision = (
            select max(revision) from asset where org_id = ${org} and external_key = ${`KEY-${pick % 40}`})`
        .execute(catalog.database.db),
  } // oxfmt-ignore
  await ways[kind]()
}

/**
 * The total of a page, and the same number counted in the same snapshot at the same time. `db` is set to the organization;
 * that of requests may send a setting first, and then it is too late for a snapshot.
 */
function bothTotals(db: Kysely<Tables>, orgId: number, offset: number) {
  return db.transaction().setIsolationLevel('repeatable read').execute(async (tx) => {
    const { total } = await listAssets(tx, orgId, { limit: 1, offset })
    const { rows } = await sql<{ counted: number }>`select count(*) as counted from asset
      where org_id = ${orgId} and deleted_at is null and valid_from <= now()
        and (valid_to is null or valid_to > now())`.execute(tx)
    return { total, counted: rows[0]?.counted }
  })
} // oxfmt-ignore

const keptRows = async (db: Kysely<Tables>, orgId: number) =>
  (await db.selectFrom('asset_count').select('n').where('org_id', '=', orgId).execute()).map(({ n }) => n)

async function liveOf(db: Kysely<Tables>, orgId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from asset where org_id = ${orgId} and deleted_at is null`.execute(db)
  return rows[0]?.n ?? 0
}

test(
  'D4.11 the kept total equals a count in the same snapshot, whatever two organizations write and two replicas fold',
  { timeout: timeLimit(90_000) },
  async ({ catalog, otherOrg, imports }) => {
    const orgs = [catalog.orgId, otherOrg] as const
    const { db } = catalog.database
    const replicas = [1, 2].map(() => openDatabase<Tables>(urlAs('worker', catalog.database.url), { max: 1 }))
    const readers = orgs.map((org) =>
      openDatabase<Tables>(urlAs('tenant', catalog.database.url), {
        max: 2,
        settings: { [ORG_SETTING]: String(org) },
      }),
    )
    const ids: [number[], number[]] = [[], []]
    for (const org of [0, 1] as const) ids[org].push((await catalog.asset({}, { org: orgs[org] })).id)
    const property = fc.asyncProperty(fc.array(writer, { minLength: WRITERS, maxLength: WRITERS }), async (writers) => {
      let isOver = false
      let compared = 0
      const repeat = async (work: () => Promise<unknown>) => {
        while (!isOver) await work()
      }
      const compare = async (org: 0 | 1, offset: number) => {
        const { total, counted } = await bothTotals(readers[org]!.db, orgs[org], offset)
        expect(total).toBe(counted)
        compared += 1
      }
      const others = [
        ...replicas.map((replica) => repeat(() => foldAssetCounts(replica.db))),
        ...([0, 1] as const).map((org) => repeat(() => compare(org, 0))),
        ...([0, 1] as const).map((org) => repeat(() => compare(org, 1_000_000))),
      ]
      const writing = writers.map(async (own) => {
        for (const step of own) if (!isOver) await change(catalog, imports, ids[step.org], orgs[step.org], step)
      })
      const over = Promise.race([Promise.all(writing), Promise.all(others)]).finally(() => {
        isOver = true
      })
      await Promise.allSettled([...writing, over])
      await Promise.all([...writing, ...others])
      expect(compared).toBeGreaterThan(20)
      for (const org of orgs) {
        await foldAssetCounts(catalog.database.worker.db)
        expect(await keptRows(db, org)).toEqual([await liveOf(db, org)])
      }
    }) // oxfmt-ignore
    try {
      await fc.assert(property, { ...limits(3), endOnFailure: true })
    } finally {
      await Promise.all([...replicas, ...readers].map((database) => database.close()))
    }
  },
)

test('statements with many rows, a conflict, another organization, and an emptied table are counted', async ({
  catalog,
}) => {
  const { database, orgId } = catalog
  const other = orgId + 500_000
  const kept = async () => {
    await foldAssetCounts(database.worker.db)
    const rows = [await keptRows(database.db, orgId), await keptRows(database.db, other)]
    expect(rows.map((n) => n[0] ?? 0)).toEqual([await liveOf(database.db, orgId), await liveOf(database.db, other)])
    return rows.flat()
  } // oxfmt-ignore
  await sql`insert into asset (org_id, external_key, name, deleted_at)
    select org, 'M-' || n, 'Many', case when n > 8 then now() end
    from generate_series(1, 10) n, unnest(array[${orgId}, ${other}]::bigint[]) org`.execute(database.db)
  expect(await kept()).toEqual([8, 8])
  await sql`insert into asset (org_id, external_key, name) select ${orgId}, 'M-' || n, 'Many' from generate_series(7, 9) n
    on conflict (org_id, external_key) where deleted_at is null do update set deleted_at = now()`.execute(
    database.db,
  )
  expect(await kept()).toEqual([7, 8])
  await sql`update asset set org_id = ${other} where org_id = ${orgId} and external_key = 'M-9' and deleted_at is null`.execute(
    database.db,
  )
  expect(await kept()).toEqual([6, 9])
  await sql`delete from asset where org_id = ${other} and external_key <> 'M-1'`.execute(database.db)
  expect(await kept()).toEqual([6, 1])
  await sql`truncate asset cascade`.execute(database.db)
  expect(await kept()).toEqual([])
})

test('the total of an organization is neither seen nor changed by another one', async ({
  catalog,
  otherOrg,
}) => {
  await catalog.asset()
  const theirs = catalog.tenants.forOrg(otherOrg)
  expect(await keptRows(theirs, catalog.orgId)).toEqual([])
  const forged = theirs.insertInto('asset_count').values({ org_id: catalog.orgId, n: 5 }).execute()
  await expect(forged).rejects.toThrow('row-level security')
  await expect(theirs.deleteFrom('asset_count').execute()).rejects.toThrow('permission denied')
})

test('assets from before the migration are counted, also those that a replica is writing', async ({
  catalog,
}) => {
  const { database, orgId } = catalog
  await sql`drop function count_assets cascade; drop table asset_count`.execute(database.db)
  await catalog.asset()
  await catalog.delete(`/assets/${(await catalog.asset()).id}`)
  const writing = Promise.withResolvers<void>()
  const isWritten = Promise.withResolvers<void>()
  const replica = catalog.tenants.transaction(orgId, async (tx) => {
    await tx.insertInto('asset').values({ org_id: orgId, external_key: 'OPEN', name: 'Open' }).execute()
    isWritten.resolve()
    await writing.promise
  })
  await isWritten.promise
  const migrator = openDatabase<unknown>(database.url, { max: 1 })
  const migrating = migrator.db
    .transaction()
    .execute(startCounting)
    .finally(() => migrator.close())
  await vi.waitUntil(async () => (await catalog.waitingForLocks()) === 1)
  const later = catalog.asset()
  await vi.waitUntil(async () => (await catalog.waitingForLocks()) === 2)
  writing.resolve()
  await Promise.all([replica, migrating, later])
  await foldAssetCounts(database.worker.db)
  expect(await keptRows(database.db, orgId)).toEqual([3])
  expect(await listAssets(catalog.tenants.forOrg(orgId), orgId, { limit: 1, offset: 0 })).toMatchObject({
    total: 3,
  })
})
