import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'
import { PAGE } from './asset-pages.ts'

type Row = { id: number; external_key: string; deleted_at: string | null; tags: { value: string }[] }

const rowsOf = async (
  catalog: Catalog,
  name: 'assets' | 'locations',
  org = catalog.orgId,
): Promise<Row[]> => {
  const response = await catalog.get(`/export-rows/${name}`, { org })
  expect(response.statusCode, response.body).toBe(200)
  expect(response.headers['content-type']).toContain('application/x-ndjson')
  return response.body
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row)
}

/** As many as fill three pages, and one more. Every seventh is deleted; the organization 0 has none. */
const MANY = 3 * PAGE + 1

async function fill({ database: { db } }: Catalog, table: 'asset' | 'location', orgs: readonly number[]) {
  for (const org of orgs)
    await sql`insert into ${sql.table(table)} (org_id, external_key, name, deleted_at)
      select ${org}, 'K-' || n, 'N ' || n, case when n % 7 = 0 then now() end
      from generate_series(1, ${MANY}) n order by random()`.execute(db)
}

const keys = Array.from({ length: MANY }, (_, n) => `K-${n + 1}`).toSorted()

describe('D15.3 the part of catalog in the export of an organization', () => {
  test.for([['assets', 'asset'], ['locations', 'location']] as const)(
    '%s over several pages, deleted ones too, each once and by id, and none of another organization',
    async ([name, table], { catalog, otherOrg }) => {
      await fill(catalog, table, [catalog.orgId, otherOrg])
      const [mine, theirs] = [await rowsOf(catalog, name), await rowsOf(catalog, name, otherOrg)]
      for (const rows of [mine, theirs]) {
        expect(rows.map(({ external_key }) => external_key).toSorted()).toEqual(keys)
        const ids = rows.map(({ id }) => id)
        expect(ids).toEqual(ids.toSorted((a, b) => a - b))
        expect(rows.filter(({ deleted_at }) => deleted_at !== null)).toHaveLength(Math.floor(MANY / 7))
      }
      const foreign = new Set(theirs.map(({ id }) => id))
      expect(mine.filter(({ id }) => foreign.has(id))).toEqual([])
    },
  ) // oxfmt-ignore

  test.for([0, 1, 2, 3])('%i full pages end', async (pages, { catalog }) => {
    await sql`insert into asset (org_id, external_key, name)
      select ${catalog.orgId}, 'K-' || n, 'N' from generate_series(1, ${pages * PAGE}) n`.execute(
      catalog.database.db,
    )
    expect(await rowsOf(catalog, 'assets')).toHaveLength(pages * PAGE)
  })

  test('each row is what the API shows, with tags and metadata', async ({ catalog }) => {
    const tags = [{ tag_type: 'rfid' as const, value: 'E1' }]
    const { id: parent } = await catalog.location({ external_key: 'HALL', tags })
    await catalog.location({ external_key: 'AISLE', parent_external_key: 'HALL' })
    const asset = await catalog.asset({
      metadata: { maker: 'Linde' },
      tags: [{ tag_type: 'ble', value: 'B1' }],
    })
    const shown = async (path: string) => (await catalog.get(path)).json().data
    expect(await rowsOf(catalog, 'assets')).toEqual([await shown(`/assets/${asset.id}`)])
    const locations = await rowsOf(catalog, 'locations')
    expect(locations).toHaveLength(2)
    for (const row of locations) expect(row).toEqual(await shown(`/locations/${row.id}`))
    expect(locations.find(({ id }) => id === parent)?.tags).toMatchObject(tags)
  })
})
