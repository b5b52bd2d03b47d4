import { openDatabase, type Database } from '@whereabouts/db/connect/database'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { ORG_SETTING } from '@whereabouts/db/tenant/tenant-database'
import { PostgresQueryCompiler, sql, type Kysely } from 'kysely'
import { createServiceDatabase } from '@whereabouts/testing/database/database'
import { test as base, vi } from 'vitest'
import { createMonths } from '../partitions.ts'
import { addMonths, dateOf } from '../../src/positions/partitions/partitions.queries.ts'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import type { Tables } from '../../src/db.ts'
import { migrations } from '../tracking.fixture.ts'

/** The organization of the requests. It has nearly all rows, so that reading a whole table looks cheapest. */
export const ORG_ID = 7
const MONTHS = 14
const [ASSETS, OTHERS, LOCATIONS] = [6_000, 60, 60]

export const assetId = (i: number) => ORG_ID * 1_000_000 + i
export const locationId = (i: number) => ORG_ID * 1_000_000 + 500_000 + i

/** A node of a plan that reads a table or, of a bitmap, its index, or the rows of a function. */
export type Scan = {
  type: string
  table: string | undefined
  index: string | undefined
  /** What bounds the part of an index that is read. */
  condition: string | undefined
  /** Whether it is read by itself, and not joined: `SubPlan`. */
  part: string | undefined
}

export type Plans = {
  /** A session like those of requests, under row-level security, that records its statements. */
  db: Kysely<Tables>
  /** The scans in the plan of each statement since the last call. */
  takeScans(): Promise<{ text: string; scans: Scan[] }[]>
}

export const test = base.extend<{ plans: Plans }>({
  plans: [
    async ({}, use) => {
      const own = await createServiceDatabase<Tables>('tracking', migrations)
      await populate(own.db)
      const settings = { ...plannerSettings, [ORG_SETTING]: String(ORG_ID) }
      const database = openDatabase<Tables>(urlAs('tenant', own.url), { max: 1, settings })
      await use(recording(database))
      await database.close()
      await own.drop()
    },
    { scope: 'file' },
  ],
})

async function populate(db: Kysely<Tables>): Promise<void> {
  const now = dateOf(Date.now())
  await createMonths(
    db,
    Array.from({ length: MONTHS }, (_, n) => addMonths(now, -n)),
  )
  for (const org of [ORG_ID, 1, 2, 3, 4, 5]) {
    const assets = org === ORG_ID ? ASSETS : OTHERS
    await sql`
      insert into location (org_id, id, revision, external_key, name, deleted_at)
      select ${org}, ${org}::bigint * 1000000 + 500000 + i, 1, 'LOC-' || i, 'Shelf ' || i,
             case when i % 20 = 19 then now() end
      from generate_series(0, ${LOCATIONS} - 1) as i`.execute(db)
    await sql`
      insert into asset (org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, home_location_id)
      select ${org}, ${org}::bigint * 1000000 + i, 1, 'ASSET-' || i, 'Forklift ' || md5(i::text), now() - interval '3 years',
             case when i % 50 = 7 then now() - interval '1 day' end, case when i % 40 = 3 then now() end,
             ${org}::bigint * 1000000 + 500000 + (${org}::bigint * 1000000 + i + (i % 7 = 0)::int) % ${LOCATIONS}
      from generate_series(0, ${assets} - 1) as i`.execute(db)
    await sql`
      insert into tag (org_id, id, revision, tag_type, value, asset_id, created_at)
      select org_id, id + 800000, 1, 'rfid', 'E280' || upper(md5(id::text)), id, now() from asset
      where org_id = ${org}`.execute(db)
    await insertScans(db, org)
  }
  await sql`
    update position p set minute = s.minute, observed_at = s.observed_at, location_id = s.location_id
    from (select distinct on (org_id, asset_id) * from scan order by org_id, asset_id, minute desc) s
    where p.org_id = s.org_id and p.asset_id = s.asset_id`.execute(db)
  await vi.waitUntil(() => isVacuumed(db), { timeout: 30_000 })
}

/** With their movements at once: the trigger for the older release would repair them row by row. */
const insertScans = (db: Kysely<Tables>, org: number) =>
  db.transaction().execute(async (tx) => {
    await sql`select set_config('whereabouts.writes_movements', 'on', true)`.execute(tx)
    await sql`
      insert into scan (org_id, asset_id, minute, observed_at, location_id)
      select org_id, id, date_trunc('minute', at), at, ${org}::bigint * 1000000 + 500000 + (id + n) % ${LOCATIONS}
      from asset cross join generate_series(0, ${MONTHS} - 1) as n
      cross join lateral (select now() - n * interval '30 days' - (id % 40000) * interval '1 minute') as t (at)
      where org_id = ${org} and id % 30 <> 29`.execute(tx)
    await sql`
      insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
      select org_id, asset_id, minute, observed_at, before, location_id
      from (select *, lag(location_id) over (partition by asset_id order by minute) as before
            from scan where org_id = ${org}) s
      where location_id is distinct from before`.execute(tx)
  })

/** An index-only scan needs pages that are marked visible. A snapshot of another session may delay that. */
export async function isVacuumed(db: Kysely<Tables>): Promise<boolean> {
  await sql`vacuum analyze`.execute(db)
  const { rows } = await sql`select from pg_class
    where relname in ('asset', 'position', 'asset_place') and relnamespace = current_schema()::regnamespace
      and relallvisible < relpages`.execute(db)
  return rows.length === 0
}

function recording({ db, pool }: Database<Tables>): Plans {
  const sent: Statement[] = []
  return {
    db: recordStatements(db, sent),
    async takeScans() {
      const taken = sent.splice(0)
      const explained = []
      for (const { text, values } of taken) {
        const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({
          text: `explain (format json) ${text}`,
          values: [...values],
        })
        explained.push({ text, scans: scansBelow(rows[0]!['QUERY PLAN'][0].Plan) })
      }
      return explained
    },
  }
}

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Parent Relationship'?: string
  Plans?: PlanNode[]
}

function scansBelow(node: PlanNode): Scan[] {
  const { 'Relation Name': table, 'Index Name': index, 'Node Type': type, 'Index Cond': condition } = node
  const part = node['Parent Relationship']
  const isScan = table !== undefined || index !== undefined || type === 'Function Scan'
  const own = isScan ? [{ type, table, index, condition, part }] : []
  return [...own, ...(node.Plans ?? []).flatMap(scansBelow)]
}

export type Statement = { text: string; values: readonly unknown[] }

/** `db`, with each statement that is sent through it appended to `sent`. */
export function recordStatements<T>(db: Kysely<T>, sent: Statement[]): Kysely<T> {
  return db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      const { sql: text, parameters: values } = new PostgresQueryCompiler().compileQuery(node, queryId)
      sent.push({ text, values })
      return node
    },
    transformResult: async ({ result }) => result,
  })
}
