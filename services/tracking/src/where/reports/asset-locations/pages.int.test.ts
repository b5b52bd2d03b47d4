import { buffersOfFixedPlan } from '@whereabouts/testing/database/fixed-plan'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { isVacuumed, recordStatements, type Statement } from '../../../../test/reports/plans.fixture.ts'
import { test } from '../../../../test/tracking.fixture.ts'
import { readAssetLocations } from './asset-locations.queries.ts'
import { LATEST_FIRST } from './filter.ts'

const ORG_ID = 900_000
const LARGE = 8_000
const PAGE = 50
/** A row of the page reads three index pages and three rows. Skipping reads one index, and nothing is counted. */
const MOST_BUFFERS = 900

test.for([
  ['among many small ones, for which the plan is made', 3_000],
  ['that is the only one', 0],
] as const)(
  'one plan for all organizations reads only the page of a large one %s',
  { timeout: 60_000 },
  async ([, small], { tracking }) => {
    const { db, pool } = tracking
    await sql`
    insert into asset (org_id, id, revision, external_key, name, valid_from)
    select org, i, 1, 'A' || i, 'Asset', '2020-01-01' from (
      select ${ORG_ID}::bigint as org, i from generate_series(1, ${LARGE}) as i
      union all select ${ORG_ID}::bigint + i, ${LARGE} + i from generate_series(1, ${small}) as i) as made`.execute(
      db,
    )
    await sql`update position set minute = date_trunc('minute', at), observed_at = at
    from (select now() - (asset_id % 1000) * interval '1 minute' as at, org_id as org, asset_id as id from position) as seen
    where org_id = org and asset_id = id`.execute(db)
    await vi.waitUntil(() => isVacuumed(db), { timeout: 30_000 })
    const sent: Statement[] = []
    const filter = { limit: PAGE, offset: 4_000, sort: LATEST_FIRST, includeDeleted: false }
    const page = await readAssetLocations(
      recordStatements(tracking.tenants.forOrg(ORG_ID), sent),
      ORG_ID,
      filter,
    )
    expect(page).toMatchObject({ total: LARGE, rows: { length: PAGE } })
    expect(sent).toHaveLength(1)
    const asked = { role: 'test_tracking_tenant', orgId: ORG_ID, ...sent[0]! }
    expect(await buffersOfFixedPlan(pool, asked)).toBeLessThan(MOST_BUFFERS)
  },
)
