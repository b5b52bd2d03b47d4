import { buffersOfFixedPlan } from '@whereabouts/testing/fixed-plan'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'
import { Recorder } from '../../test/plans/recorded.fixture.ts'
import { listAssets } from '../assets/assets.lists.ts'

const LARGE = 8_000
const PAGE = 50
/** A row of the page reads two index pages and its own, and so do its tags. Skipping and counting read one index. */
const MOST_BUFFERS = 600

test.for([
  ['among many small ones, for which the plan is made', 3_000],
  ['that is the only one', 0],
] as const)(
  'one plan for all organizations reads only the page of a large one %s',
  async ([, small], { catalog }) => {
    const { orgId, tenants, database } = catalog
    const first = orgId * 1_000_000
    await sql`
    insert into asset (org_id, id, external_key, name, valid_from)
    select org, ${first}::bigint + i, 'A' || lpad(i::text, 6, '0'), 'Asset', '2020-01-01' from (
      select ${orgId}::bigint as org, i from generate_series(1, ${LARGE}) as i
      union all select ${first}::bigint + i, ${LARGE} + i from generate_series(1, ${small}) as i) as made`.execute(
      database.db,
    )
    await sql`
    insert into tag (org_id, asset_id, tag_type, value, match_value)
    select org_id, id, 'rfid', 'T' || id, 'T' || id from asset where id > ${first}`.execute(database.db)
    await sql`vacuum analyze asset, tag`.execute(database.db)
    const recorder = new Recorder()
    const range = { limit: PAGE, offset: 4_000 }
    const page = await listAssets(recorder.tenants(tenants).forOrg(orgId), orgId, range)
    expect(page).toMatchObject({ total: LARGE, rows: { length: PAGE } })
    expect(page.rows.every(({ tags }) => tags.length === 1)).toBe(true)
    const { text, values } = recorder.recorded[0]!
    const asked = { role: 'test_catalog_tenant', orgId, text, values }
    expect(await buffersOfFixedPlan(database.pool, asked)).toBeLessThan(MOST_BUFFERS)
  },
)
