import type { ImportView } from '@whereabouts/contracts/resources/catalog/imports'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { request } from 'node:http'
import { describe, expect, onTestFinished } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'
import { purgeImports } from './purge.loop.ts'

const post = (catalog: Catalog, csv: string, query = 'resource=assets', mediaType = 'text/csv') =>
  catalog.call('POST', `/imports?${query}`, csv, { mediaType })

const purge = ({ database: { worker }, tenants }: Catalog) =>
  purgeImports({ across: worker.db, tenants, log: createLogger('imports', 'silent') })

/** The number of rows of an organization in the tables of imports. */
async function stored({ database: { pool }, orgId }: Catalog): Promise<Record<string, number>> {
  const tables = ['import', 'import_line', 'import_row', 'import_fact']
  const counts = tables.map((table) => `(select count(*) from ${table} where org_id = $1) as "${table}"`)
  const { rows } = await pool.query<Record<string, number>>(`select ${counts.join()}`, [orgId])
  return rows[0] ?? {}
}

type Callers = { callers: { headersFor(caller: { orgId: number }): Promise<Record<string, string>> } }

const NOTHING = { import: 0, import_line: 0, import_row: 0, import_fact: 0 }

describe('D10 an invalid file is refused and leaves nothing', () => {
  test.for([
    { name: 'nothing at all', csv: '', type: 'bad_request', detail: /^The file is empty/ },
    {
      name: 'a row of another length',
      csv: 'name,type\na,asset\nb\n',
      type: 'bad_request',
      detail: /^Line 3: 1 cell/,
    },
    { name: 'an open quote', csv: 'name\na\n"b\n', type: 'bad_request', detail: /^Line 3: a quoted cell/ },
    { name: 'NUL', csv: 'name\na\0\n', type: 'bad_request', detail: /^Line 2: there is a NUL/ },
    {
      name: 'many rows',
      csv: `name\n${'a\n'.repeat(100_001)}`,
      type: 'payload_too_large',
      detail: /^A file can have at most 100000 rows; split it$/,
    },
  ])('$name', async ({ csv, type, detail }, { catalog }) => {
    const { error } = (await post(catalog, csv)).json()
    expect(error).toMatchObject({ type, detail: expect.stringMatching(detail) })
    expect((await catalog.get('/imports')).json().total_count).toBe(0)
    await purge(catalog)
    expect(await stored(catalog)).toEqual(NOTHING)
  })

  test.for([
    ['colour,name,size\n', [['colour', 'unknown_field', 'unknown column "colour"'], ['size', 'unknown_field', 'unknown column "size"']]],
    ['name,name\n', [['name', 'ambiguous_fields', 'column "name" appears more than once']]],
    ['type,rfid\n', [['name', 'required', 'name is required']]],
    ['name,,type\n', [['', 'unknown_field', 'a column has no name']]],
    ['External Key,external_key\n', [['external_key', 'ambiguous_fields', 'columns "External Key" and "external_key" are both external_key; rename or remove one of them']]],
    ['name,parent_external_key\n', [['parent_external_key', 'unknown_field', 'unknown column "parent_external_key"']]],
    ['Bezeichnung\n', [['Bezeichnung', 'unknown_field', 'unknown column "Bezeichnung"'], ['name', 'required', 'name is required']]],
  ] as const)('the header %j', async ([csv, fields], { catalog }) => {
    const { error } = (await post(catalog, csv)).json()
    expect(error.fields).toEqual(fields.map(([field, code, message]) => ({ field, code, message })))
    expect(await stored(catalog)).toEqual(NOTHING)
  }) // oxfmt-ignore

  test.for([
    ['column=Bezeichnung:colour', /^column must name one of: external_key, name/],
    ['column=Farbe:name', 'column "Farbe" is not in the file'],
    ['column=Bezeichnung:name&column=Bezeichnung:', 'column "Bezeichnung" has two fields'],
    ['column=name', 'column must be a header, a colon and a field'],
  ] as const)('D19.5 %s', async ([query, message], { catalog }) => {
    const { error } = (await post(catalog, 'Bezeichnung\nPump\n', `resource=assets&${query}`)).json()
    expect(error.fields).toMatchObject([{ field: 'column', code: 'invalid_value' }])
    expect(error.fields[0].message).toMatch(message)
    expect(await stored(catalog)).toEqual(NOTHING)
  })

  test('the query', async ({ catalog }) => {
    const fieldsOf = async (query: string) => (await post(catalog, 'name\n', query)).json().error.fields
    expect(await fieldsOf('')).toMatchObject([{ field: 'resource', code: 'required' }])
    expect(await fieldsOf('resource=tags')).toMatchObject([{ field: 'resource', code: 'invalid_value' }])
    expect(await fieldsOf('resource=assets&dry_run=1')).toMatchObject([
      { field: 'dry_run', code: 'invalid_value' },
    ])
    expect(await fieldsOf('resource=assets&colour=red')).toMatchObject([
      { field: 'colour', code: 'unknown_field' },
    ])
  })

  test('another media type', async ({ catalog }) => {
    const res = await post(catalog, '{}', 'resource=assets', 'application/json')
    expect(res.json().error).toMatchObject({ status: 415, detail: 'Content-Type must be text/csv' })
  })
})

test('D10 the reply comes when the file is complete, with the URL of the import', async ({ catalog }) => {
  const rows = Array.from({ length: 1_234 }, (_, i) => `K-${i},"two\nlines"`)
  const res = await post(
    catalog,
    `external_key,description\n${rows.join('\n')}`,
    'resource=locations&dry_run=true',
  )
  const { data } = res.json<{ data: ImportView }>()
  expect([res.statusCode, res.headers.location]).toEqual([201, `/api/v1/imports/${data.id}`])
  expect(data).toEqual({
    id: data.id,
    resource: 'locations',
    dry_run: true,
    state: 'pending',
    rows_total: 1_234,
    rows_done: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    warned: 0,
    tags_removed: 0,
    encoding: 'utf-8',
    empty_cells: 'clear',
    first_names: [],
    applied_from: null,
    created_by: 1,
    created_at: expect.any(String),
    started_at: null,
    ignored_columns: [],
    finished_at: null,
  })
  expect((await catalog.get(`/imports/${data.id}`)).json().data).toEqual(data)
  expect(await stored(catalog)).toEqual({ ...NOTHING, import: 1, import_line: 1_234 })
})

test('D10 a file with only a header is an import without rows', async ({ imports }) => {
  expect(await imports.run('assets', 'name\n')).toMatchObject({ state: 'done', rows_total: 0, rows: [] })
})

describe('D10 unfinished imports', () => {
  const send = (catalog: Catalog, user: number) =>
    catalog.call('POST', '/imports?resource=assets', 'name\na\n', { user, mediaType: 'text/csv' })
  const unfinished = async (catalog: Catalog) =>
    (await catalog.get('/imports')).json<{ data: ImportView[] }>().data.toReversed()

  test('of one organization are at most five, also with simultaneous uploads; the error names the oldest', async ({
    catalog,
    replica,
    files,
    otherOrg,
  }) => {
    const processes = [catalog, replica, catalog, replica, catalog, replica, catalog, replica]
    const responses = await Promise.all(processes.map((one, i) => send(one, i + 1)))
    expect(responses.filter(({ statusCode }) => statusCode === 201)).toHaveLength(5)
    const [oldest] = await unfinished(catalog)
    const refusal = await send(catalog, 9)
    const detail = `At most 5 unfinished imports per organization; import ${oldest?.id} is not finished`
    expect(refusal.json().error).toMatchObject({ type: 'rate_limited', status: 429, detail })
    expect(refusal.headers['retry-after']).toBe('10')
    await files.send('assets', 'name\na\n', { org: otherOrg })
    await catalog.delete(`/imports/${oldest?.id}`)
    expect((await send(catalog, 9)).statusCode).toBe(201)
  })

  test('of one user are at most three, over all replicas; other users can still import', async ({
    catalog,
    replica,
  }) => {
    for (const one of [catalog, replica, catalog]) expect((await send(one, 1)).statusCode).toBe(201)
    const [oldest] = await unfinished(catalog)
    const refusal = (await send(replica, 1)).json().error
    const detail = `At most 3 unfinished imports per user; import ${oldest?.id} is not finished`
    expect(refusal).toMatchObject({ type: 'rate_limited', detail })
    expect((await send(replica, 2)).statusCode).toBe(201)
  })

  test('count for the user who applies a dry run', async ({ catalog, imports }) => {
    const dryRun = await imports.run('assets', 'name\na\n', { dryRun: true })
    await catalog.database.pool.query(
      `insert into import (org_id, file_id, resource, dry_run, state, columns, created_by, lease_until)
       select $1, 0, 'assets', true, 'uploading', '{name}', 1, now() + interval '1 hour' from generate_series(1, 3)`,
      [catalog.orgId],
    )
    const apply = (user: number) => catalog.call('POST', `/imports/${dryRun.id}/apply`, undefined, { user })
    expect((await apply(1)).json().error).toMatchObject({
      status: 429,
      detail: expect.stringMatching(/per user/),
    })
    expect((await apply(2)).statusCode).toBe(201)
  })
})

describe('D10 an upload that breaks off', () => {
  /** A sender whose file is partly stored. */
  async function halfSent(catalog: Catalog, address: string, service: Callers) {
    const caller = await service.callers.headersFor({ orgId: catalog.orgId })
    const headers = { ...caller, 'content-type': 'text/csv', 'transfer-encoding': 'chunked' }
    const outgoing = request(`${address}/api/v1/imports?resource=assets`, { method: 'POST', headers })
    const { promise: status, resolve } = Promise.withResolvers<number | undefined>()
    outgoing.on('response', ({ statusCode }) => resolve(statusCode)).on('error', () => undefined)
    outgoing.write(`name\n${'a\n'.repeat(20_000)}`)
    // Batches have 500 rows. The parser keeps the last row back until it is complete.
    const lines = async () => (await stored(catalog))['import_line']
    await expect.poll(lines, { timeout: 15_000 }).toBe(19_500)
    return { outgoing, status }
  }

  test('leaves nothing, and is never visible as an import', async ({ catalog, service, address }) => {
    const { outgoing } = await halfSent(catalog, address, service)
    const { data } = (await catalog.get('/imports')).json()
    expect(data).toEqual([])
    outgoing.destroy()
    const removed = async () => {
      const { rows } = await catalog.database.pool.query('select deleted_at from import where org_id = $1', [
        catalog.orgId,
      ])
      return rows[0]?.deleted_at
    }
    await expect.poll(removed, { timeout: 15_000 }).toEqual(expect.any(String))
    await purge(catalog)
    expect(await stored(catalog)).toEqual(NOTHING)
  })

  test('leaves nothing, even if the service died with it', async ({ catalog, service, address }) => {
    const { outgoing, status } = await halfSent(catalog, address, service)
    onTestFinished(() => void outgoing.destroy())
    await purge(catalog)
    expect((await stored(catalog))['import']).toBe(1) // the upload continues
    await catalog.database.pool.query(
      `update import set lease_until = clock_timestamp() - interval '1 second' where org_id = $1`,
      [catalog.orgId],
    )
    await purge(catalog)
    expect(await stored(catalog)).toEqual(NOTHING)
    // A sender that continues gets an error.
    outgoing.end('b\n'.repeat(2_000))
    expect(await status).toBe(400)
    expect(await stored(catalog)).toEqual(NOTHING)
  })
})

describe('D10 removal', () => {
  const age = ({ database: { pool }, orgId }: Catalog, days: number) =>
    pool.query(`update import set finished_at = finished_at - $2 * interval '1 day' where org_id = $1`, [
      orgId,
      days,
    ])

  test('an import is removed a week after it finished, a dry run after a day', async ({
    catalog,
    imports,
  }) => {
    await imports.run('assets', 'name\na\nb\n')
    await imports.run('assets', 'name\nc\n', { dryRun: true })
    await purge(catalog)
    expect(await stored(catalog)).toMatchObject({ import: 2, import_line: 1, import_row: 3 })
    await age(catalog, 6)
    await purge(catalog)
    expect(await stored(catalog)).toMatchObject({ import: 1, import_line: 0, import_row: 2 })
    await age(catalog, 2)
    await purge(catalog)
    expect(await stored(catalog)).toEqual(NOTHING)
  })

  test('the lines of a dry run stay while an import reads them', async ({ catalog, files, imports }) => {
    const dry = await imports.run('assets', 'name\na\nb\n', { dryRun: true })
    const { data } = (await catalog.call('POST', `/imports/${dry.id}/apply`)).json<{ data: ImportView }>()
    await catalog.delete(`/imports/${dry.id}`)
    await purge(catalog)
    expect(await files.finished(data.id)).toMatchObject({ created: 2 })
    expect(await stored(catalog)).toMatchObject({ import: 1, import_row: 2 })
    await catalog.delete(`/imports/${data.id}`)
    await purge(catalog)
    expect(await stored(catalog)).toEqual(NOTHING)
  })

  test('the lines and the overlay of an import are deleted when it finishes', async ({
    catalog,
    imports,
  }) => {
    await imports.run('assets', 'name\na\n')
    expect(await stored(catalog)).toEqual({ ...NOTHING, import: 1, import_row: 1 })
    await imports.run('assets', 'name\na\n', { dryRun: true })
    expect(await stored(catalog)).toMatchObject({ import_line: 1, import_fact: 0 })
  })

  test('of finished imports, the newest fifty of an organization stay', async ({ catalog }) => {
    await catalog.database.pool.query(
      `insert into import (org_id, file_id, resource, dry_run, state, columns, finished_at)
       select $1, 1, 'assets', true, 'done', '{name}', clock_timestamp() - i * interval '1 minute'
       from generate_series(1, 53) as i`,
      [catalog.orgId],
    )
    await purge(catalog)
    const { total_count, data } = (await catalog.get('/imports?limit=200')).json()
    expect(total_count).toBe(50)
    const oldest = Math.min(...data.map(({ finished_at }: ImportView) => Date.parse(finished_at ?? '')))
    expect(Date.now() - oldest).toBeLessThan(51 * 60_000)
  })
})
