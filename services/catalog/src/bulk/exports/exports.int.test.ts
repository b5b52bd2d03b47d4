import { AssetCreate, type AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { importColumns, readOnlyColumns } from '@whereabouts/contracts/resources/catalog/imports'
import { LocationCreate, type LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { fc, limits } from '@whereabouts/testing/fuzz'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'

let lastOrg = 7_000_000
const newOrg = () => (lastOrg += 1)

const exported = async (catalog: Catalog, resource: string, org?: number) =>
  (await catalog.get(`/exports/${resource}`, org === undefined ? {} : { org })).body.replace(/^\uFEFF/, '')

describe('D10 an export', () => {
  test('contains all live assets, in the columns of an import', async ({ catalog, otherOrg }) => {
    const tags = [
      { tag_type: 'rfid' as const, value: 'E1' },
      { tag_type: 'rfid' as const, value: 'a|b' },
      { tag_type: 'barcode' as const, value: '400 "7"' },
    ]
    await catalog.asset({
      external_key: '-1',
      name: '=SUM(A1)',
      description: 'two\nlines, and more',
      valid_from: '2026-01-01T00:00:00.5Z',
      valid_to: '2099-01-01T00:00:00Z',
      metadata: { a: 'b' },
      is_active: false,
      tags,
    })
    const { id } = await catalog.asset()
    await catalog.delete(`/assets/${id}`)
    await catalog.asset({}, { org: otherOrg })
    const res = await catalog.get('/exports/assets')
    expect(res.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(res.headers['content-disposition']).toBe('attachment; filename="assets.csv"')
    const cells: Record<string, string> = {
      external_key: "'-1",
      name: "'=SUM(A1)",
      description: '"two\nlines, and more"',
      type: 'asset',
      is_active: 'false',
      valid_from: '2026-01-01T00:00:00.500Z',
      valid_to: '2099-01-01T00:00:00.000Z',
      metadata: '"{""a"":""b""}"',
      rfid: 'E1|a\\|b',
      ble: '',
      barcode: '"400 ""7"""',
    }
    const columns = [...importColumns.assets, ...readOnlyColumns.assets.slice(0, 3)]
    expect(importColumns.assets.filter((name) => name in cells)).toEqual(Object.keys(cells))
    const row = columns.map((name) => cells[name] ?? '')
    expect(res.body).toBe(`\uFEFF${columns.join(',')}\r\n${row.join(',')}\r\n`) // D19.5
  })

  test('without rows is the header', async ({ catalog }) => {
    expect(await exported(catalog, 'locations')).toBe(
      'external_key,name,description,parent_external_key,is_active,valid_from,valid_to,rfid,ble,barcode\r\n',
    )
  })

  test('lists locations after their parents, so that an import into an empty organization works', async ({
    catalog,
    imports,
  }) => {
    const make = async (external_key: string, parent?: string) =>
      catalog.location({ external_key, ...(parent !== undefined && { parent_external_key: parent }) })
    for (const key of ['D', 'C', 'B', 'A']) await make(key)
    for (const [child, parent] of [['A', 'B'], ['B', 'C'], ['C', 'D']] as const) {
      const [{ id }] = (await catalog.get(`/locations?external_key=${child}`)).json().data
      await catalog.patch(`/locations/${id}`, { parent_external_key: parent })
    } // oxfmt-ignore
    await make('A-1', 'A')
    await make('Z')
    const csv = await exported(catalog, 'locations')
    const keys = csv.split('\r\n').map((line) => line.split(',')[0])
    expect(keys).toEqual(['external_key', 'D', 'Z', 'C', 'B', 'A', 'A-1', ''])
    const org = newOrg()
    expect(await imports.run('locations', csv, { org })).toMatchObject({ created: 6, failed: 0 })
    expect(await exported(catalog, 'locations', org)).toBe(csv)
  })

  test('neither loses nor repeats a row between pages', async ({ catalog, imports }) => {
    const rows = Array.from({ length: 450 }, (_, i) => `K-${i},n`).join('\n')
    for (const resource of ['assets', 'locations'] as const) {
      await imports.run(resource, `external_key,name\n${rows}`)
      const csv = await exported(catalog, resource)
      const keys = csv.split('\r\n').map((line) => line.split(',')[0])
      expect(keys).toHaveLength(452)
      expect(new Set(keys).size).toBe(452)
      expect(await imports.run(resource, csv)).toMatchObject({ rows_total: 450, unchanged: 450 })
    }
  })

  test('answers HEAD with its headers', async ({ catalog }) => {
    const head = await catalog.call('HEAD' as 'GET', '/exports/assets')
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/csv; charset=utf-8',
    ])
  })

  test('of locations takes no parameters', async ({ catalog }) => {
    expect((await catalog.get('/exports/locations?limit=1')).json().error.fields).toMatchObject([
      { field: 'limit', code: 'invalid_context' },
    ])
  })

  test('that fails breaks off, so that it does not look complete', async ({
    catalog,
    imports,
    service,
    address,
  }) => {
    const description = 'x'.repeat(1_000)
    const rows = Array.from({ length: 5_000 }, (_, i) => `K-${i},n,${description}`).join('\n')
    await imports.run('assets', `external_key,name,description\n${rows}`)
    const { pool } = catalog.database
    const headers = await service.callers.headersFor({ orgId: catalog.orgId })
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
    request(`${address}/api/v1/exports/assets`, { headers }, resolve).end()
    const incoming = await promise
    const { promise: ended, resolve: end } = Promise.withResolvers<string>()
    incoming.on('end', () => end('complete')).on('error', () => end('broken off'))
    await new Promise((next) => incoming.once('readable', next)) // the rest waits
    await pool.query('alter table asset rename column name to renamed')
    try {
      incoming.resume()
      expect(await ended).toBe('broken off')
    } finally {
      await pool.query('alter table asset rename column renamed to name')
    }
  })
})

/** Texts with formulas, separators and quotes. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '=',
        '+',
        '-',
        '@',
        '\t',
        '\r',
        '\n',
        '\r\n',
        '|',
        '\\',
        '"',
        '""',
        ',',
        ';',
        ' ',
        'a',
        '𝄞',
        '\ufeff',
      ),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const instant = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom('', '456', '4569').map((micros) => date.toISOString().replace('Z', `${micros}Z`)),
  )
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const shared = {
  external_key: option(fc.stringMatching(/^[A-Za-z0-9-]{1,9}$/)),
  name: nasty,
  description: option(nasty),
  is_active: option(fc.boolean()),
  valid_from: option(instant),
  valid_to: option(instant),
  tags: option(
    fc.array(fc.record({ tag_type: fc.constantFrom(...tagTypes), value: nasty }), { maxLength: 5 }),
  ),
}
const assets = fc.array(
  fc
    .record({
      ...shared,
      type: option(fc.constantFrom('asset' as const, 'person' as const)),
      metadata: option(
        fc.dictionary(nasty, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>, { maxKeys: 3 }),
      ),
    })
    .filter((asset) => AssetCreate.safeParse(asset).success),
  { maxLength: 6 },
)
const locations = fc.array(
  fc.record(shared).filter((location) => LocationCreate.safeParse(location).success),
  { maxLength: 6 },
)

type Shown = Pick<AssetView, 'external_key' | 'tags'> & Partial<LocationView>

/** Fields that two organizations can have in common, without minted ones. */
const contentOf = (rows: readonly Shown[]) =>
  rows.map(({ id: _id, parent_id: _parent, created_at: _created, updated_at: _updated, tags, ...rest }) => ({
    ...rest,
    tags: tags.map(({ tag_type, value }) => `${tag_type}:${value}`).toSorted(),
  }))

describe('D10 an export, imported again,', () => {
  const cases = [
    { resource: 'assets' as const, generated: assets as fc.Arbitrary<object[]> },
    { resource: 'locations' as const, generated: locations as fc.Arbitrary<object[]> },
  ]
  test.for(cases)('has the same rows: $resource', async ({ resource, generated }, { catalog, imports }) => {
    await fc.assert(
      fc.asyncProperty(generated, fc.nat(), async (made, seed) => {
        const [org, other] = [newOrg(), newOrg()]
        let parent: number | undefined
        for (const [i, body] of made.entries()) {
          const hasParent = resource === 'locations' && parent !== undefined && (seed >> i) % 2 === 1
          const res = await catalog.post(
            `/${resource}`,
            { ...body, ...(hasParent && { parent_id: parent }) },
            { org },
          )
          if (res.statusCode === 201) parent = res.json().data.id
          else expect(res.statusCode).toBeOneOf([409, 400]) // keys and tags may exist already, windows may be over
        }
        const all = async (of: number) =>
          (
            await catalog.database.pool.query(
              `select count(*) from ${resource.slice(0, -1)} where org_id = $1`,
              [of],
            )
          ).rows[0].count
        const total = await all(org)
        const csv = await exported(catalog, resource, org)
        await catalog.takeOutbox()
        const again = await imports.run(resource, csv, { org })
        expect(again.rows.filter(({ outcome }) => outcome !== 'unchanged')).toEqual([])
        expect(again).toMatchObject({ rows_total: total, unchanged: total })
        const copied = await imports.run(resource, csv, { org: other })
        expect(copied.rows.filter(({ outcome }) => outcome !== 'created')).toEqual([])
        const listed = async (of: number) =>
          (await catalog.get(`/${resource}?limit=200&include_deleted=true`, { org: of })).json()
            .data as Shown[]
        expect(contentOf(await listed(other))).toEqual(contentOf(await listed(org)))
        expect((await exported(catalog, resource, other)).split('\r\n').toSorted()).toEqual(
          csv.split('\r\n').toSorted(),
        )
      }),
      limits(15, 15_000),
    )
  })
})
