import type {
  ImportResource,
  ImportRowView,
  ImportView,
} from '@whereabouts/contracts/resources/catalog/imports'
import { fc, limits } from '@whereabouts/testing/fuzz'
import { describe, expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test as base, type Imports } from '../../../test/imports.fixture.ts'

/** Batches of three rows, so that the overlay of a dry run must survive from one to the next. */
const test = base.extend('batchRows', { scope: 'file' }, 3)

const header = {
  assets: 'external_key,name,type,valid_to,rfid,ble',
  locations: 'external_key,name,parent_external_key,valid_to,rfid,ble',
}
const tags = fc.constantFrom('', '1', '2', '3', '1|2', '2|3')
const validTo = fc.constantFrom('', '', '', '2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z')
const name = fc.constantFrom('x', 'y', '')
const cells = {
  assets: fc.tuple(
    fc.constantFrom('A', 'B', 'C', 'ASSET-1', 'ASSET-2', 'ASSET-0001', ''),
    name,
    fc.constantFrom('', 'asset', 'person', 'robot'),
    validTo,
    tags,
    tags,
  ),
  locations: fc.tuple(
    fc.constantFrom('A', 'B', 'C', 'D', 'LOC-1', 'LOC-001', ''),
    name,
    fc.constantFrom('', '', 'A', 'B', 'C', 'D', 'LOC-001', 'E'),
    validTo,
    tags,
    tags,
  ),
}
const fileOf = (resource: ImportResource, rows: readonly (readonly string[])[]) =>
  [header[resource], ...rows.map((row) => row.join(','))].join('\n')

let lastOrg = 5_000_000
const newOrg = () => (lastOrg += 1)

/** All rows of an organization that an import may change. */
async function stateOf({ database: { pool } }: Catalog, org: number) {
  const query = async (text: string) => (await pool.query(text, [org])).rows
  return {
    assets: await query('select * from asset where org_id = $1 order by external_key, id'),
    locations: await query('select * from location where org_id = $1 order by external_key, id'),
    tags: await query('select * from tag where org_id = $1 order by tag_type, value, id'),
    outbox: await query(
      `select * from outbox where (payload ->> 'org_id')::bigint = $1 and subject not like 'audit.%' order by id`,
    ),
  }
}

/** The same, without fields that differ between organizations. */
async function contentOf({ database: { pool } }: Catalog, org: number) {
  const { rows } = await pool.query(
    `select kind, external_key, name, parent, valid_to, (
       select string_agg(tag_type || ':' || value, ' ' order by tag_type, value) from tag
       where org_id = $1 and deleted_at is null and coalesce(asset_id, location_id) = owner.id) as tags
     from (select 'asset' as kind, id, external_key, name, type as parent, valid_to from asset
           where org_id = $1 and deleted_at is null
           union all
           select 'location', id, external_key, name,
                  (select external_key from location as p where p.org_id = $1 and p.id = location.parent_id), valid_to
           from location where org_id = $1 and deleted_at is null) as owner
     order by kind, external_key`,
    [org],
  )
  return rows as unknown[]
}

async function apply(catalog: Catalog, imports: Imports, id: number, org: number) {
  const res = await catalog.call('POST', `/imports/${id}/apply`, undefined, { org })
  expect(res.statusCode).toBe(201)
  const { data } = res.json<{ data: ImportView }>()
  return { ...(await imports.finished(data.id, { org })), rows: await imports.rows(data.id, { org }) }
}

/** A file has each key once; a file per row would not notice. */
const withoutRepeatedKeys = (rows: readonly string[][]) =>
  rows.filter(([key], i) => key === '' || rows.findIndex(([earlier]) => earlier === key) === i)

/** A file has its rows in any order (D19.5). One import per row needs the parent first. */
function inParentOrder(rows: readonly string[][]): string[][] {
  const parentAt = 2
  const isLater = (row: readonly string[], i: number) =>
    rows.findIndex(([key]) => key !== '' && key === row[parentAt]) >= i
  return rows.filter((row, i) => !isLater(row, i))
}

const withoutIds = (rows: readonly ImportRowView[]) => rows.map(({ id: _id, ...row }) => row)

describe.for(['assets', 'locations'] as const)('D10 a dry run of %s', (resource) => {
  const file = fc.array<string[]>(cells[resource], { minLength: 1, maxLength: 14 })
  const comparableRows = (rows: string[][]) => (resource === 'locations' ? inParentOrder(rows) : rows)

  test('gives each row the outcome of the import, and changes nothing', async ({ catalog, imports }) => {
    await fc.assert(
      fc.asyncProperty(file, file, async (stored, rows) => {
        const org = newOrg()
        await imports.run(resource, fileOf(resource, stored), { org })
        const before = await stateOf(catalog, org)
        const dry = await imports.run(resource, fileOf(resource, rows), { org, dryRun: true })
        expect(await stateOf(catalog, org)).toEqual(before)
        const real = await apply(catalog, imports, dry.id, org)
        expect(withoutIds(dry.rows)).toEqual(withoutIds(real.rows))
        for (const [i, { id, outcome }] of dry.rows.entries())
          if (id !== null) expect([outcome, id]).toEqual([real.rows[i]?.outcome, real.rows[i]?.id])
      }),
      limits(12, 12_000),
    )
  })

  test('gives the same outcomes in batches and row by row', async ({ catalog, imports }) => {
    await fc.assert(
      fc.asyncProperty(file.map(withoutRepeatedKeys).map(comparableRows), async (rows) => {
        const [inParts, atOnce] = [newOrg(), newOrg()]
        const parts = await imports.run(resource, fileOf(resource, rows), { org: inParts })
        // One import per row, one after the other.
        const single: ImportRowView[] = []
        for (const row of rows)
          single.push(...(await imports.run(resource, fileOf(resource, [row]), { org: atOnce })).rows)
        const comparable = (found: readonly ImportRowView[]) =>
          found.map(({ outcome, external_key, changes, errors }) => ({
            outcome,
            external_key,
            changes,
            errors: errors.map(({ message, ...error }) => ({ ...error, message: message.split(' yet:')[0] })),
          }))
        expect(comparable(parts.rows)).toEqual(comparable(single))
        expect(await contentOf(catalog, inParts)).toEqual(await contentOf(catalog, atOnce))
      }),
      limits(5, 15_000),
    )
  })
})

describe('D10 applying a dry run', () => {
  test('twice applies it once, and answers the same import', async ({ catalog, imports }) => {
    const dry = await imports.run('assets', 'name\na\nb\n', { dryRun: true })
    const [one, two] = await Promise.all([
      catalog.call('POST', `/imports/${dry.id}/apply`),
      catalog.call('POST', `/imports/${dry.id}/apply`),
    ])
    const { data } = one.json<{ data: ImportView }>()
    expect([one.statusCode, two.statusCode, two.json().data.id]).toEqual([201, 201, data.id])
    expect(one.headers.location).toBe(`/api/v1/imports/${data.id}`)
    await imports.finished(data.id)
    const third = await catalog.call('POST', `/imports/${dry.id}/apply`)
    expect(third.json().data).toMatchObject({ id: data.id, applied_from: dry.id, created: 2 })
    expect((await catalog.get('/assets')).json().total_count).toBe(2)
  })

  test('continues after the dry run was removed', async ({ catalog, imports }) => {
    const dry = await imports.run('assets', 'name\na\n', { dryRun: true })
    const { data } = (await catalog.call('POST', `/imports/${dry.id}/apply`)).json<{ data: ImportView }>()
    await catalog.delete(`/imports/${dry.id}`)
    expect(await imports.finished(data.id)).toMatchObject({ state: 'done', created: 1 })
    expect((await catalog.call('POST', `/imports/${dry.id}/apply`)).statusCode).toBe(404)
  })

  test('is refused unless it is finished', async ({ catalog, imports }) => {
    const real = await imports.run('assets', 'name\na\n')
    const res = await catalog.call('POST', `/imports/${real.id}/apply`)
    expect(res.json().error).toMatchObject({
      type: 'conflict',
      detail: `import ${real.id} is not a finished dry run`,
    })
  })
})
