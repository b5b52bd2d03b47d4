import type { ImportView } from '@whereabouts/contracts/resources/catalog/imports'
import { describe, expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test as base } from '../../../test/imports.fixture.ts'

/** Small batches, so that the order of a file spans several. */
const test = base.extend('batchRows', { scope: 'file' }, 3)

async function send(catalog: Catalog, query: string, file: string | Buffer): Promise<ImportView> {
  const res = await catalog.call('POST', `/imports?${query}`, file, { mediaType: 'text/csv' })
  expect([res.statusCode, res.body]).toEqual([201, expect.anything()])
  return res.json<{ data: ImportView }>().data
}

const namesOf = async (catalog: Catalog) =>
  (await catalog.get('/assets?sort=external_key')).json().data.map(({ name }: { name: string }) => name)

describe('D19.5 what a file says about itself', () => {
  test.for([
    ['windows-1252', 'latin1'],
    ['utf-8', 'utf8'],
    ['utf-16le', 'utf16le'],
  ] as const)(
    '%s: the encoding and the first names, before anything is stored',
    async ([encoding, name], { catalog, imports }) => {
      const mark = encoding === 'utf-16le' ? '\uFEFF' : ''
      const file = Buffer.from(`${mark}External Key;NAME\r\nA-1;Pump\r\nA-2;Kühlgerät\r\n`, name)
      const dry = await send(catalog, 'resource=assets&dry_run=true', file)
      expect(dry).toMatchObject({ encoding, first_names: ['Kühlgerät'], rows_total: 2 })
      expect(await namesOf(catalog)).toEqual([])
      await imports.finished(dry.id)
      const { data } = (await catalog.call('POST', `/imports/${dry.id}/apply`)).json()
      expect(await imports.finished(data.id)).toMatchObject({
        encoding,
        created: 2,
        first_names: ['Kühlgerät'],
      })
      expect(await namesOf(catalog)).toEqual(['Pump', 'Kühlgerät'])
    },
  )

  test('headers without regard to case and spelling; others are assigned or ignored', async ({
    catalog,
    imports,
  }) => {
    const query = 'resource=assets&column=Bezeichnung:name&column=Note%3A+x:&column=:'
    const csv =
      'EXTERNAL-KEY,Bezeichnung,Note: x,,Is Active,RFID\nP-1,Pump,secret,?,false,E1\nP-2,=x,secret,?,robot,\n'
    const { id, ignored_columns } = await send(catalog, query, csv)
    expect(ignored_columns).toEqual(['Note: x', ''])
    expect(await imports.finished(id)).toMatchObject({ created: 1, failed: 1 })
    expect((await catalog.get('/assets')).json().data).toMatchObject([
      { external_key: 'P-1', name: 'Pump', is_active: false, tags: [{ value: 'E1' }] },
    ])
    const failed = (await catalog.get(`/imports/${id}/failed-rows`)).body.split('\r\n')
    expect(failed[0]).toBe('\uFEFFexternal_key,name,is_active,rfid,import_line,import_error')
    expect(failed[1]).toMatch(/^P-2,'=x,robot,,3,/)
  })
})

test('D19.5 warnings fail no row; they are counted, listed and kept by the import', async ({
  catalog,
  imports,
}) => {
  const csv =
    'external_key,name,barcode,rfid\nB-1,Box,8.71432E+12,\nB-2,Box,,E2801160\nB-3,#N/A,,3.0395E+23\nB-4,,,x\n'
  const dry = await imports.run('assets', csv, { dryRun: true })
  const { data } = (await catalog.call('POST', `/imports/${dry.id}/apply`)).json()
  const real = await imports.finished(data.id)
  for (const one of [dry, real]) expect(one).toMatchObject({ created: 3, failed: 1, warned: 3 })
  const rows = async (query: string) => (await catalog.get(`/imports/${real.id}/rows?${query}`)).json()
  const warned = await rows('warned=true&limit=2')
  expect(warned).toMatchObject({ total_count: 3, data: [{ line: 2 }, { line: 4 }] })
  expect(warned.data[0].warnings).toMatchObject([{ field: 'barcode', code: 'spreadsheet_number' }])
  expect(await rows('warned=true&outcome=failed')).toMatchObject({ total_count: 1, data: [{ line: 5 }] })
  expect(await rows('warned=false')).toMatchObject({ total_count: 1, data: [{ line: 3, warnings: [] }] })
})

test('D19.5 empty_cells=keep leaves fields and tags alone; the tags that clear removes are counted', async ({
  catalog,
  imports,
}) => {
  const tags = ['E1', 'E2'].map((value) => ({ tag_type: 'rfid' as const, value }))
  const { id } = await catalog.asset({ external_key: 'A', name: 'a', description: 'kept', tags })
  const csv = 'external_key,name,description,rfid\nA,new,,\nB,,,\n'
  const stored = async () => (await catalog.get(`/assets/${id}`)).json().data
  for (const _ of [1, 2, 3]) {
    const { id: kept } = await send(catalog, 'resource=assets&empty_cells=keep', csv)
    expect(await imports.finished(kept)).toMatchObject({ empty_cells: 'keep', failed: 1, tags_removed: 0 })
    expect(await stored()).toMatchObject({ name: 'new', description: 'kept', tags })
  }
  expect(await imports.run('assets', csv, { dryRun: true })).toMatchObject({ tags_removed: 2 })
  expect(await imports.run('assets', csv)).toMatchObject({ empty_cells: 'clear', tags_removed: 2 })
  expect(await stored()).toMatchObject({ description: null, tags: [] })
})

describe('D19.5 locations in any order', () => {
  const chain = (rows: number) => [
    'external_key,name,parent_external_key',
    ...Array.from({ length: rows }, (_, i) => `L-${i},n,${i === rows - 1 ? '' : `L-${i + 1}`}`),
  ]

  test('over many batches, in a dry run, and applied', async ({ catalog, imports }) => {
    const dry = await imports.run('locations', chain(40).join('\n'), { dryRun: true })
    expect(dry).toMatchObject({ created: 40, failed: 0 })
    expect(dry.rows.map(({ line }) => line)).toEqual(Array.from({ length: 40 }, (_, i) => i + 2))
    const { data } = (await catalog.call('POST', `/imports/${dry.id}/apply`)).json()
    expect(await imports.finished(data.id)).toMatchObject({ created: 40, failed: 0 })
    const { rows } = await catalog.database.pool.query(
      'select count(*)::int as roots from location where org_id = $1 and parent_id is null and deleted_at is null',
      [catalog.orgId],
    )
    expect(rows).toEqual([{ roots: 1 }])
  })

  test('a key twice fails in its second row, whichever is processed first', async ({ imports }) => {
    const csv = 'external_key,name,parent_external_key\nA,first,B\nA,second,\nB,b,\n'
    const { rows } = await imports.run('locations', csv)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'failed', 'created'])
    expect(rows[1]?.errors).toMatchObject([{ field: 'external_key', code: 'conflict' }])
  })

  test('the failed rows of a file that was reordered are those that failed, by line', async ({
    catalog,
    imports,
  }) => {
    const csv = 'external_key,name,parent_external_key\nA,a,B\n,,B\nB,b,\nnot ok,x,B\n'
    const { id, failed } = await imports.run('locations', csv)
    expect(failed).toBe(2)
    const lines = (await catalog.get(`/imports/${id}/failed-rows`)).body.split('\r\n')
    expect(lines.slice(1, 3).map((line) => line.split(',').slice(0, 4))).toEqual([
      ['', '', 'B', '3'],
      ['not ok', 'x', 'B', '5'],
    ])
  })
})
