import { limits } from '@whereabouts/contracts/limits'
import { request, type ClientRequest } from 'node:http'
import { describe, expect, inject } from 'vitest'
import { test } from './support/fixtures.ts'
import { finishedImport, sendFile, untilFinished } from './support/imports.ts'

const lines = (...rows: string[]) => rows.join('\n')

describe('D10 importing', () => {
  test('a dry run shows the effect, applying it has that effect, and the export equals the file', async ({
    api,
    newOrg,
  }) => {
    const { admin: token } = await newOrg()
    const stored = { name: 'Old', external_key: 'F-1', tags: [{ tag_type: 'rfid', value: 'E1' }] }
    await api.call('createAsset', { token, body: stored })
    const csv = lines(
      'external_key;name;metadata;rfid',
      'F-1;New;;E1|E2',
      'F-2;Second;"{""maker"":""Linde""}";',
      'F-3;;;',
      ';Minted;;E1',
    )
    const dry = await finishedImport(api, token, 'assets', csv, true)
    expect(dry).toMatchObject({ state: 'done', dry_run: true, rows_total: 4, rows_done: 4 })
    expect(dry).toMatchObject({ created: 1, updated: 1, unchanged: 0, failed: 2 })
    expect((await api.call('listAssets', { token })).body.data).toMatchObject([{ name: 'Old' }])
    const params = { import_id: dry.id }
    const { body } = await api.call('listImportRows', { token, params })
    expect(body).toMatchObject({ total_count: 4, limit: 50, offset: 0 })
    expect(body.data).toMatchObject([
      { line: 2, outcome: 'updated', external_key: 'F-1', changes: ['name', 'rfid'], errors: [] },
      { line: 3, outcome: 'created', external_key: 'F-2', id: null },
      {
        line: 4,
        outcome: 'failed',
        errors: [{ field: 'name', code: 'required', message: 'name is required' }],
      },
      {
        line: 5,
        outcome: 'failed',
        errors: [{ field: 'rfid', code: 'conflict', message: 'tag rfid:E1 already exists' }],
      },
    ])
    const failed = await api.call('listImportRows', { token, params, query: { outcome: 'failed' } })
    expect(failed.body).toMatchObject({ total_count: 2, data: [{ line: 4 }, { line: 5 }] })

    const applied = await api.call('applyImport', { token, params })
    expect(applied.headers.get('location')).toBe(`/api/v1/imports/${applied.body.data.id}`)
    const again = await api.call('applyImport', { token, params })
    expect(again.body.data.id).toBe(applied.body.data.id)
    const real = await untilFinished(api, token, applied.body.data.id)
    expect(real).toMatchObject({ dry_run: false, applied_from: dry.id, created: 1, updated: 1, failed: 2 })
    const assets = (await api.call('listAssets', { token })).body.data
    expect(assets).toMatchObject([
      { external_key: 'F-1', name: 'New', tags: [{ value: 'E1' }, { value: 'E2' }] },
      { external_key: 'F-2', name: 'Second', metadata: { maker: 'Linde' } },
    ])

    const file = await api.call('exportAssets', { token })
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="assets.csv"')
    expect(await finishedImport(api, token, 'assets', file.text)).toMatchObject({
      rows_total: 2,
      unchanged: 2,
    })
    expect((await api.call('listImports', { token })).body.total_count).toBe(3)
  })

  test('exported locations can be imported into another organization', async ({ api, newOrg }) => {
    const [{ admin: token }, { admin: other }] = [await newOrg(), await newOrg()]
    const csv = lines(
      'external_key,name,parent_external_key',
      'SITE,s,',
      'HALL,=1+1,SITE',
      'BIN,b,HALL',
      'BAD,b,NOWHERE',
    )
    expect(await finishedImport(api, token, 'locations', csv)).toMatchObject({ created: 3, failed: 1 })
    const { text } = await api.call('exportLocations', { token })
    expect(text).toContain("HALL,'=1+1,,SITE,")
    expect(await finishedImport(api, other, 'locations', text)).toMatchObject({ created: 3, failed: 0 })
    expect((await api.call('exportLocations', { token: other })).text).toBe(text)
  })

  test('progress can be watched until all rows are done', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const csv = lines('name', ...Array.from({ length: 5_000 }, (_, i) => `n${i}`))
    const { id, rows_total } = await sendFile(api, token, 'assets', csv)
    expect(rows_total).toBe(5_000)
    let last = 0
    for (;;) {
      const { data } = (await api.call('getImport', { token, params: { import_id: id } })).body
      expect(data.rows_done).toBeGreaterThanOrEqual(last)
      expect(data.created).toBe(data.rows_done)
      last = data.rows_done
      if (data.state === 'done') break
    }
    expect(last).toBe(5_000)
    expect((await api.call('listAssets', { token, query: { q: 'n4999' } })).body.total_count).toBe(1)
  })

  test('problems of a file are reported before anything is imported', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const refusal = async (csv: string) =>
      (await api.call('createImport', { token, query: { resource: 'assets' }, body: csv })).body.error
    expect(await refusal('name,colour\n')).toMatchObject({
      type: 'validation_error',
      fields: [{ field: 'colour', code: 'unknown_field', message: 'unknown column "colour"' }],
    })
    expect(await refusal('name\na\n"b\n')).toMatchObject({
      type: 'bad_request',
      detail: 'Line 3: a quoted cell has no end',
    })
    expect((await api.call('listImports', { token })).body.total_count).toBe(0)
  })
})

describe('D10 callers', () => {
  test('any signed-in user of the organization, and no key', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { token } = await org.key()
    for (const operationId of ['createImport', 'listImports', 'exportAssets', 'exportLocations'] as const)
      expect((await api.call(operationId, { token })).body.error, operationId).toMatchObject({
        status: 403,
        detail: 'A signed-in user is required',
      })
  })

  test('no user of another organization', async ({ api, newOrg }) => {
    const [{ admin: token }, { admin: other }] = [await newOrg(), await newOrg()]
    const { id } = await finishedImport(api, token, 'assets', 'name\nsecret\n', true)
    const call = { token: other, params: { import_id: id } }
    for (const operationId of ['getImport', 'listImportRows', 'applyImport', 'deleteImport'] as const)
      expect((await api.call(operationId, call)).status, operationId).toBe(404)
    expect((await api.call('exportAssets', { token: other })).text).not.toContain('secret')
    expect((await api.call('getImport', { ...call, token })).body.data.state).toBe('done')
  })
})

test('D10 the unfinished imports of a user are limited; another organization is not affected', async ({
  api,
  newOrg,
}) => {
  const [{ admin: token }, { admin: other }] = [await newOrg(), await newOrg()]
  const query = { resource: 'assets' }
  const held = new Set<ClientRequest>()
  /** Retries while it is refused because the imports below took its place. */
  const hold = () => {
    const outgoing = holdBack(token)
    held.add(outgoing)
    outgoing.once('response', () => {
      held.delete(outgoing.destroy())
      hold()
    })
  }
  for (let i = 0; i < limits.unfinishedImports.user; i += 1) hold()
  try {
    // Stored imports are soon finished. Held-back uploads count until they end.
    const detail = async () =>
      (await api.call('createImport', { token, query, body: 'name\na\n' })).body.error?.detail
    await expect
      .poll(detail, { timeout: 15_000 })
      .toMatch(/^At most 3 (?:unfinished imports per user|uploads of one user at a time)/)
    expect((await api.call('createImport', { token: other, query, body: 'name\na\n' })).status).toBe(201)
  } finally {
    for (const outgoing of held) outgoing.removeAllListeners('response').destroy()
  }
  // Their connections ended, and with them the imports.
  const again = async () => (await api.call('createImport', { token, query, body: 'name\na\n' })).status
  await expect.poll(again, { timeout: 15_000 }).toBe(201)
})

/** An upload that starts and never ends. */
function holdBack(token: string): ClientRequest {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'text/csv',
    'user-agent': 'contract-suite/1',
  }
  const outgoing = request(`${inject('urls').base}/api/v1/imports?resource=assets`, {
    method: 'POST',
    headers,
  })
  outgoing.on('error', () => undefined)
  outgoing.write(`name\n${'a\n'.repeat(100)}`)
  return outgoing
}
