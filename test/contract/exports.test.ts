import { describe, expect, inject } from 'vitest'
import { finishedExport, linkOf } from './support/exports.ts'
import { test } from './support/fixtures.ts'
import { send } from './support/http.ts'
import { succeed } from './support/organization.ts'

const ASSETS = { dataset: 'assets', format: 'ndjson' } as const

describe('D22.3 exports through the gateway', () => {
  test('D22.3 a link is read by tools that send neither a token nor a name of their own, also in ranges', async ({
    api,
    newOrg,
  }) => {
    const { admin: token } = await newOrg()
    await succeed(api.call('createAsset', { token, body: { name: 'Forklift', external_key: 'F-1' } }))
    const { files } = await finishedExport(api, token, ASSETS)
    const [file] = files
    const get = (headers: Record<string, string>, method = 'GET') =>
      send(inject('urls').base, { method, path: file?.url ?? '', headers: { host: 'x', ...headers } })
    const whole = await get({ 'user-agent': 'Python-urllib/3.14' })
    expect(whole.status).toBe(200)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(file?.bytes),
      'accept-ranges': 'bytes',
      etag: `"${file?.sha256}"`,
    })
    const part = await get({ range: 'bytes=2-5', 'if-range': `"${file?.sha256}"` })
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      `bytes 2-5/${file?.bytes}`,
      '4',
    ])
    expect((await get({ range: 'bytes=99999999-' })).headers.get('content-range')).toBe(
      `bytes */${file?.bytes}`,
    )
    const head = await get({}, 'HEAD')
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(file?.bytes),
    ])
  })

  test('D22.3 paths of exports are those of their services', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const { id } = (await succeed(api.call('createExport', { token, body: ASSETS }))).body.data
    expect((await api.call('exportAssets', { token })).headers.get('content-type')).toMatch(/^text\/csv/)
    expect((await api.call('exportLocations', { token })).headers.get('content-type')).toMatch(/^text\/csv/)
    expect((await api.call('getExport', { token, params: { export_id: id } })).body.data.id).toBe(id)
    const wrong = await send(inject('urls').base, {
      method: 'DELETE',
      path: '/api/v1/exports/assets',
      headers: { host: 'x', 'user-agent': 'test/1' },
    })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('D22.3 exports of one organization wait, and those of another are made', async ({ api, newOrg }) => {
    const [busy, other] = [await newOrg(), await newOrg()]
    const history = { dataset: 'history', format: 'csv' } as const
    const begun = Array.from({ length: 12 }, () =>
      api.call('createExport', { token: busy.admin, body: history }),
    )
    const statuses = (await Promise.all(begun)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([202, 429]))
    expect(await finishedExport(api, other.admin, ASSETS)).toMatchObject({ status: 'done' })
  })

  test('D22.3 many wrong links do not keep a right one from being read', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const { files } = await finishedExport(api, token, ASSETS)
    const link = linkOf(files[0]?.url ?? '')
    const wrong = Array.from({ length: 60 }, (_, i) =>
      api.call('downloadExportFile', {
        params: { export_id: i + 1, file_name: 'x.csv.gz' },
        query: { signature: 'x' },
      }),
    )
    const right = await api.call('downloadExportFile', link)
    expect(right.status).toBe(200)
    expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).toEqual(new Set([404]))
  })
})
