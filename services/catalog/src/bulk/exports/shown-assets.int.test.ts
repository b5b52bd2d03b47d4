import { describe, expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'

/** The rows of a file without quoted cells, by column. */
function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .slice(0, -1)
  const columns = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
  })
}
const exported = async (catalog: Catalog, query = '', org?: number) =>
  rowsOf((await catalog.get(`/exports/assets${query}`, org === undefined ? {} : { org })).body)
const keysOf = (rows: readonly Record<string, string>[]) => rows.map((row) => row['external_key'])

async function stock(catalog: Catalog) {
  const made = {
    a: await catalog.asset({ external_key: 'A', name: 'Zebra cart', type: 'asset' }),
    b: await catalog.asset({ external_key: 'B', name: 'Box', type: 'inventory', is_active: false }),
    c: await catalog.asset({ external_key: 'C', name: 'Cart', tags: [{ tag_type: 'rfid', value: 'ZEBRA' }] }),
    late: await catalog.asset({ external_key: 'LATE', name: 'Later', valid_from: '2099-01-01T00:00:00Z' }),
    gone: await catalog.asset({ external_key: 'GONE', name: 'Gone cart' }),
  }
  await catalog.delete(`/assets/${made.gone.id}`)
  return made
}

describe('an export of assets', () => {
  test.for([
    ['?q=zebra&sort=name', ['C', 'A']],
    ['?q=cart&sort=-name', ['A', 'C']],
    ['?q=cart&include_deleted=true&sort=name', ['C', 'GONE', 'A']],
    ['?type=inventory', ['B']],
    ['?is_active=false', ['B']],
    ['?external_key=A&external_key=C', ['A', 'C']],
    ['?window=current&sort=-external_key', ['C', 'B', 'A']],
    ['?tag=rfid:ze-bra&tag=ble:none', ['C']],
    ['', ['A', 'B', 'C', 'LATE']],
  ] as const)('has the rows of the list, in its order: %s', async ([query, keys], { catalog }) => {
    await stock(catalog)
    expect(keysOf(await exported(catalog, query))).toEqual(keys)
    if (query === '') return
    const list = (await catalog.get(`/assets${query}`)).json().data
    expect(keysOf(list)).toEqual(keys)
  })

  test('refuses wrong filters like the list', async ({ catalog }) => {
    const res = await catalog.get('/exports/assets?sort=colour&is_active=1&limit=5')
    expect(res.json().error.fields).toMatchObject([
      { field: 'limit', code: 'unknown_field' },
      { field: 'is_active', code: 'invalid_value' },
      { field: 'sort', code: 'invalid_value' },
    ])
  })

  test('says where each asset is and when it was last seen', async ({ catalog, otherOrg }) => {
    const { a, b, c } = await stock(catalog)
    const [dock, old] = [
      await catalog.location({ external_key: 'DOCK', name: '=Dock 1' }),
      await catalog.location({ external_key: 'OLD', name: 'Old' }),
    ]
    await catalog.delete(`/locations/${old.id}`)
    catalog.tracking.see(catalog.orgId, a.id, dock.id, '2026-11-21T10:00:00.123456Z')
    catalog.tracking.see(catalog.orgId, b.id, old.id)
    catalog.tracking.see(otherOrg, c.id, dock.id)
    const where = (row: Record<string, string> | undefined) =>
      ['location_external_key', 'location_name', 'asset_last_seen'].map((column) => row?.[column])
    const rows = await exported(catalog)
    expect(rows.map(where)).toEqual([
      ['DOCK', "'=Dock 1", '2026-11-21T10:00:00.123Z'],
      ['', '', '2026-01-01T00:00:00.000Z'],
      ['', '', ''],
      ['', '', ''],
    ])
  })

  test('asks tracking once per page of 200, in memory of one page', async ({ catalog, imports }) => {
    const lines = Array.from({ length: 450 }, (_, i) => `K-${i},n`).join('\n')
    await imports.run('assets', `external_key,name\n${lines}`)
    catalog.tracking.pageSizes = []
    expect(await exported(catalog)).toHaveLength(450)
    expect(catalog.tracking.pageSizes).toEqual([200, 200, 50])
  })

  test('is refused while tracking is away, not sent with empty locations', async ({ catalog }) => {
    await stock(catalog)
    catalog.tracking.away = true
    try {
      const res = await catalog.get('/exports/assets')
      expect([res.statusCode, res.json().error.detail]).toEqual([
        503,
        'The locations of the assets are not available now, so the export was not made',
      ])
      expect((await catalog.get('/exports/locations')).statusCode).toBe(200)
    } finally {
      catalog.tracking.away = false
    }
    for (let i = 0; i < 3; i += 1) expect((await catalog.get('/exports/assets')).statusCode).toBe(200)
  })

  test('can be imported: the added columns are ignored, and the import names them', async ({
    catalog,
    imports,
  }) => {
    const { a } = await stock(catalog)
    const dock = await catalog.location({ name: 'Dock' })
    catalog.tracking.see(catalog.orgId, a.id, dock.id)
    const csv = (await catalog.get('/exports/assets')).body
    const again = await imports.run('assets', csv)
    expect(again).toMatchObject({ rows_total: 4, unchanged: 4, failed: 0 })
    expect(again.ignored_columns).toEqual(['location_external_key', 'location_name', 'asset_last_seen'])
    const plain = await imports.run('assets', 'external_key,name\nA,Zebra cart')
    expect(plain.ignored_columns).toEqual([])
  })

  test('with deleted rows says which they are, and an import refuses to create them again', async ({
    catalog,
    imports,
  }) => {
    await stock(catalog)
    const csv = (await catalog.get('/exports/assets?include_deleted=true')).body
    expect(rowsOf(csv).map((row) => row['deleted_at'] !== '')).toEqual([false, false, false, true, false])
    const again = await imports.run('assets', csv)
    expect(again).toMatchObject({ unchanged: 4, failed: 1 })
    expect(again.rows.find(({ outcome }) => outcome === 'failed')).toMatchObject({
      external_key: 'GONE',
      errors: [{ field: 'deleted_at', code: 'read_only' }],
    })
  })
})

describe('the failed rows of an import', () => {
  const failedRows = async (catalog: Catalog, id: number, org?: number) =>
    catalog.get(`/imports/${id}/failed-rows`, org === undefined ? {} : { org })

  test('are a file that can be corrected and imported', async ({ catalog, imports, otherOrg }) => {
    const csv = 'name,type,external_key\nGood,asset,OK-1\n=Bad,robot,NO-1\nAlso bad,,not a key\n'
    const { id, ...counts } = await imports.run('assets', csv)
    expect(counts).toMatchObject({ created: 1, failed: 2 })
    const res = await failedRows(catalog, id)
    expect(res.headers['content-disposition']).toBe('attachment; filename="assets-failed-rows.csv"')
    const file = res.body.split('\r\n')
    expect(file).toEqual([
      '\uFEFFname,type,external_key,import_line,import_error',
      `'=Bad,robot,NO-1,3,"type: type must be one of: asset, person, inventory"`,
      'Also bad,,not a key,4,"external_key: external_key must contain only letters, digits and hyphens"',
      '',
    ])
    expect((await failedRows(catalog, id, otherOrg)).statusCode).toBe(404)
    const corrected = res.body.replace('robot', 'asset').replace('not a key', 'OK-2')
    const again = await imports.run('assets', corrected)
    expect(again).toMatchObject({ created: 2, failed: 0, ignored_columns: ['import_line', 'import_error'] })
    expect((await catalog.get('/assets?external_key=NO-1')).json().data).toMatchObject([{ name: '=Bad' }])
  })

  test('of a file of failed rows have the added columns once; without any, the file is its header', async ({
    catalog,
    imports,
  }) => {
    const csv = 'name,type,import_line,import_error\nBad,robot,7,old\n'
    const { id } = await imports.run('assets', csv)
    expect((await failedRows(catalog, id)).body.split('\r\n').slice(0, 2)).toEqual([
      '\uFEFFname,type,import_line,import_error',
      'Bad,robot,2,"type: type must be one of: asset, person, inventory"',
    ])
    const none = await imports.run('locations', 'name\nDock\n')
    expect((await failedRows(catalog, none.id)).body).toBe('\uFEFFname,import_line,import_error\r\n')
  })

  test('are all of them, in the order of the file', async ({ catalog, imports }) => {
    const lines = Array.from({ length: 450 }, (_, i) => `n,${i % 2 === 0 ? 'robot' : 'asset'}`).join('\n')
    const { id } = await imports.run('assets', `name,type\n${lines}`)
    const rows = rowsOf((await failedRows(catalog, id)).body.replaceAll(/"[^"]*"/g, ''))
    expect(rows.map((row) => Number(row['import_line']))).toEqual(
      Array.from({ length: 225 }, (_, i) => 2 + 2 * i),
    )
  })
})
