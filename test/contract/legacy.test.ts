import { LegacyAssetView } from '@whereabouts/contracts/legacy/assets'
import { LegacyLocationView } from '@whereabouts/contracts/legacy/locations'
import type { Route } from '@whereabouts/contracts/route'
import { routes, type OperationId } from '@whereabouts/contracts/routes'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { BURST, whenExhausted } from './support/buckets.ts'
import { catalogOf } from './support/catalog.ts'
import { test } from './support/fixtures.ts'

const BASE = '/legacy/api/v1'
const key = (prefix: string) => `${prefix}-${randomUUID()}`

const codes = (fields: { field: string; code: string }[] = []) =>
  fields.map(({ field, code }) => `${field} ${code}`)

const identifierOf = ({ id, tag_type, value }: TagView) => ({ id, type: tag_type, value, is_active: true })

/** In legacy views, unset fields are absent (D17.1). */
const withoutNulls = (view: object) =>
  Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null))

/** Compares an asset in both vocabularies, field by field. The legacy one gets no new fields: `parse` removes them. */
async function sameAsset(api: Api, token: string, identifier: string) {
  const older = (await api.call('getLegacyAsset', { token, params: { identifier } })).body.data
  const params = { asset_id: older.surrogate_id }
  const asset = (await api.call('getAsset', { token, params })).body.data
  const { id, external_key, tags, deleted_at, ...others } = asset
  const identifiers = tags.map(identifierOf)
  const renamed = { surrogate_id: id, identifier: external_key, identifiers }
  expect(older).toEqual(LegacyAssetView.parse(withoutNulls({ ...others, ...renamed })))
  expect(deleted_at).toBeNull()
  return older
}

/** The same for a location. Its path and depth follow from its ancestors. */
async function sameLocation(api: Api, token: string, identifier: string) {
  const older = (await api.call('getLegacyLocation', { token, params: { identifier } })).body.data
  const params = { location_id: older.surrogate_id }
  const current = (await api.call('getLocation', { token, params })).body.data
  const above = (await api.call('listLocationAncestors', { token, params })).body.data
  const { id, external_key, tags, parent_external_key, deleted_at, ...others } = current
  const identifiers = tags.map(identifierOf)
  const path = [...above, current].map((location) => location.external_key).join('.')
  const place = { parent: parent_external_key, path, depth: above.length + 1 }
  const renamed = { surrogate_id: id, identifier: external_key, identifiers }
  expect(older).toEqual(LegacyLocationView.parse(withoutNulls({ ...others, ...place, ...renamed })))
  expect(deleted_at).toBeNull()
  return older
}

describe('D1.2 one asset in two vocabularies', () => {
  test('each shows the changes of the other, to the last field', async ({ api, token }) => {
    const identifier = key('A')
    const body = {
      name: 'Forklift 7',
      identifier,
      description: 'two\nlines',
      type: 'person',
      metadata: { maker: 'Linde', nested: [1, null] },
      identifiers: [{ value: key('tag') }, { type: 'ble', value: key('tag') }],
      valid_from: '2020-01-01T01:00:00.1239+01:00',
      valid_to: '2999-01-01T00:00:00Z',
    }
    const created = await api.call('createLegacyAsset', { token, body })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`${BASE}/assets/${identifier}`)
    const asset = await sameAsset(api, token, identifier)
    expect(asset).toEqual(created.body.data)
    expect(asset).toMatchObject({
      valid_from: '2020-01-01T00:00:00.123Z',
      valid_to: '2999-01-01T00:00:00.000Z',
    })

    const params = { asset_id: asset.surrogate_id }
    await api.call('updateAsset', { token, params, body: { name: 'patched', description: null } })
    await api.call('addAssetTag', { token, params, body: { tag_type: 'barcode', value: key('tag') } })
    expect(await sameAsset(api, token, identifier)).toMatchObject({ name: 'patched' })

    const renamed = key('B')
    const kept = asset.identifiers[1]
    const put = { identifier: renamed, identifiers: [{ type: kept?.type, value: kept?.value }] }
    const reply = await api.call('updateLegacyAsset', { token, params: { identifier }, body: put })
    expect(reply.body.data).toMatchObject({ name: 'patched', identifier: renamed, identifiers: [kept] })
    expect(await sameAsset(api, token, renamed)).toEqual(reply.body.data)
    expect((await api.call('getLegacyAsset', { token, params: { identifier } })).status).toBe(404)

    expect((await api.call('deleteLegacyAsset', { token, params: { identifier: renamed } })).status).toBe(204)
    expect((await api.call('getAsset', { token, params })).status).toBe(404)
  })

  test('a list has the same rows', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const { asset, deleteAsset } = catalogOf(api, token)
    await asset({ name: 'b', external_key: 'X-1', tags: [{ tag_type: 'rfid', value: 'needle' }] })
    await asset({ name: 'a', external_key: 'X-2', type: 'person', is_active: false })
    await deleteAsset((await asset({ external_key: 'X-3' })).id)
    const pairs: [older: string, current: string][] = [
      ['', ''],
      ['sort=-identifier', 'sort=-external_key'],
      ['sort=name&limit=1', 'sort=name&limit=1'],
      ['identifier=X-2&identifier=X-9', 'external_key=X-2&external_key=X-9'],
      ['q=NEED', 'q=NEED'],
      ['type=person&is_active=false', 'type=person&is_active=false'],
      ['include_deleted=true', 'include_deleted=true'],
    ]
    for (const [older, current] of pairs) {
      const [theirs, ours] = [
        (await api.call('listLegacyAssets', { token, query: older })).body,
        (await api.call('listAssets', { token, query: current })).body,
      ]
      const ids = ours.data.map(({ id }) => id)
      expect([older, theirs.data.map(({ surrogate_id }) => surrogate_id)]).toEqual([older, ids])
      const { data: _, ...envelope } = ours
      expect(theirs).toMatchObject(envelope)
    }
  })
})

describe('D1.2 one location in two vocabularies', () => {
  test('each shows the changes of the other, with path and depth', async ({ api, token }) => {
    const { location } = catalogOf(api, token)
    const site = await location({ external_key: key('SITE') })
    const identifier = key('HALL')
    const body = {
      identifier,
      name: 'Hall',
      parent_identifier: site.external_key,
      identifiers: [{ value: key('tag') }],
    }
    const created = await api.call('createLegacyLocation', { token, body })
    expect(created.headers.get('location')).toBe(`${BASE}/locations/${identifier}`)
    expect(await sameLocation(api, token, identifier)).toEqual(created.body.data)
    const dock = await location({ external_key: key('DOCK'), parent_external_key: identifier })
    expect((await sameLocation(api, token, dock.external_key)).depth).toBe(3)

    const params = { location_id: created.body.data.surrogate_id }
    const renamed = key('HALL')
    await api.call('renameLocation', { token, params, body: { external_key: renamed } })
    const below = await sameLocation(api, token, dock.external_key)
    expect(below.path).toBe([site.external_key, renamed, dock.external_key].join('.'))

    const put = { parent_identifier: null, description: 'a root now', identifiers: null }
    const reply = await api.call('updateLegacyLocation', {
      token,
      params: { identifier: renamed },
      body: put,
    })
    expect(reply.body.data).toMatchObject({ path: renamed, depth: 1, identifiers: [] })
    expect(reply.body.data).not.toHaveProperty('parent')
    expect(await sameLocation(api, token, renamed)).toEqual(reply.body.data)
    expect((await api.call('deleteLegacyLocation', { token, params: { identifier: renamed } })).status).toBe(
      409,
    )
  })

  test('D5.7 the tree is the same', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const { location } = catalogOf(api, token)
    const site = await location({ external_key: 'SITE' })
    const hall = await location({ external_key: 'HALL', parent_id: site.id })
    for (const name of ['b', 'a']) await location({ name, external_key: name, parent_id: hall.id })
    const branches = [
      ['listLegacyLocationAncestors', 'listLocationAncestors'],
      ['listLegacyLocationChildren', 'listLocationChildren'],
      ['listLegacyLocationDescendants', 'listLocationDescendants'],
    ] as const
    for (const [older, current] of branches)
      for (const at of [site, hall]) {
        const params = { identifier: at.external_key, location_id: at.id }
        const { data, total_count } = (await api.call(older, { token, params, query: 'limit=2' })).body
        const ours = (await api.call(current, { token, params, query: 'limit=2' })).body
        expect(data.map(({ surrogate_id }) => surrogate_id)).toEqual(ours.data.map(({ id }) => id))
        expect(total_count).toBe(ours.total_count)
        for (const one of data) expect(one).toEqual(await sameLocation(api, token, one.identifier))
      }
  })
})

describe('PUT (ADR 19)', () => {
  test('the same PUT gives the same result after any changes in between', async ({ api, token }) => {
    const { asset } = catalogOf(api, token)
    const { external_key: identifier } = await asset({ tags: [{ tag_type: 'rfid', value: key('old') }] })
    const body = { name: 'put', metadata: { a: 1 }, valid_to: null, identifiers: [{ value: key('new') }] }
    const put = async () =>
      (await api.call('updateLegacyAsset', { token, params: { identifier }, body })).body.data
    const first = await put()
    const second = await put()
    expect(second).toEqual({ ...first, updated_at: second.updated_at })
    await api.call('updateLegacyAsset', {
      token,
      params: { identifier },
      body: { name: 'other', metadata: {} },
    })
    const third = await put()
    expect(third).toEqual({ ...first, updated_at: third.updated_at })
  })

  test('a refused PUT changes nothing, and its error has the legacy names', async ({ api, token }) => {
    const { location } = catalogOf(api, token)
    const { external_key: identifier } = await location()
    const before = await sameLocation(api, token, identifier)
    const refusals: [body: object | string, expected: string[]][] = [
      [{ parent_identifier: 'NOWHERE' }, ['parent_identifier fk_not_found']],
      [
        { parent_external_key: 'A', colour: 1 },
        ['colour unknown_field', 'parent_external_key unknown_field'],
      ],
      [{ name: null, identifier: '' }, ['identifier too_short', 'name invalid_value']],
      [
        { identifiers: [{ value: '' }, { type: 'qr', value: 'x' }] },
        ['identifiers[0].value too_short', 'identifiers[1].type invalid_value'],
      ],
      [{ valid_from: null }, ['valid_from invalid_value']],
      [{ valid_to: '1999-01-01T00:00:00Z' }, ['valid_to invalid_value']],
      ['null', []],
    ]
    for (const [body, expected] of refusals) {
      const reply = await api.call('updateLegacyLocation', { token, params: { identifier }, body })
      expect([reply.status, body, codes(reply.body.error.fields)]).toEqual([400, body, expected])
    }
    for (const mediaType of ['application/merge-patch+json', 'text/plain', undefined]) {
      const call = { token, params: { identifier }, body: '{}', headers: { 'content-type': mediaType } }
      expect((await api.call('updateLegacyLocation', call)).status).toBe(415)
    }
    expect(await sameLocation(api, token, identifier)).toEqual(before)
  })
})

describe('paths and methods', () => {
  const keyed = (Object.entries(routes) as [OperationId, Route][]).filter(([, { path }]) =>
    path.includes('{identifier}'),
  )
  test.for(keyed)('D4.3 %s refuses an invalid key', async ([operationId, row], { api, token }) => {
    for (const identifier of ['a_b', 'a.b', '..', 'a/b', ' a', 'ä', '\u0000', 'x'.repeat(256)]) {
      const call = { token, params: { identifier, tag_id: 1 }, ...(row.body && { body: {} }) }
      const { status, body } = await api.call(operationId, call)
      expect([identifier, status, codes(body.error.fields)[0]]).toEqual([
        identifier,
        400,
        `identifier ${identifier.length > 255 ? 'too_long' : 'invalid_value'}`,
      ])
    }
  })

  test('D2.3 PUT is allowed only on legacy paths', async ({ api, token }) => {
    const { external_key, id } = await catalogOf(api, token).asset()
    const allowOf = async (path: string, method: string) =>
      (await api.request(path, { method, token })).headers.get('allow')
    expect(await allowOf(`${BASE}/assets/${external_key}`, 'PATCH')).toBe('GET, HEAD, PUT, DELETE')
    expect(await allowOf(`${BASE}/assets`, 'PUT')).toBe('GET, HEAD, POST')
    expect(await allowOf(`${BASE}/locations/A/tags`, 'GET')).toBe('POST')
    expect(await allowOf(`${BASE}/locations/A/children`, 'PUT')).toBe('GET, HEAD')
    expect(await allowOf(`/api/v1/assets/${id}`, 'PUT')).toBe('GET, HEAD, PATCH, DELETE')
    expect(
      (await api.request(`${BASE}/assets/${external_key}/rename`, { method: 'POST', token })).status,
    ).toBe(404)
  })

  test('HEAD mirrors GET', async ({ api, token }) => {
    const { external_key } = await catalogOf(api, token).location()
    for (const path of ['/assets', `/locations/${external_key}`, `/locations/${external_key}/ancestors`]) {
      const [get, head] = [
        await api.request(`${BASE}${path}`, { token }),
        await api.request(`${BASE}${path}`, { token, method: 'HEAD' }),
      ]
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    }
  })

  test('D7.3 each vocabulary knows only the filters of its own lists', async ({ api, token }) => {
    const { external_key: identifier, id: asset_id } = await catalogOf(api, token).asset()
    const query = 'identifier=A&external_key=A'
    const older = await api.call('getLegacyAsset', { token, params: { identifier }, query })
    expect(codes(older.body.error.fields)).toEqual([
      'external_key unknown_field',
      'identifier invalid_context',
    ])
    const current = await api.call('getAsset', { token, params: { asset_id }, query })
    expect(codes(current.body.error.fields)).toEqual([
      'external_key invalid_context',
      'identifier unknown_field',
    ])
  })
})

describe('D9.9 one bucket for both vocabularies', () => {
  test('reads are counted together; writes are not', async ({ api, token }) => {
    const { external_key: identifier } = await catalogOf(api, token).asset()
    for (let i = 0; i < BURST + 20; i += 1) {
      const call = { token, params: { identifier }, body: {} }
      expect((await api.call('updateLegacyAsset', call)).status).toBe(200)
    }
    const read = await api.call('getLegacyAsset', { token, params: { identifier } })
    expect(read.headers.get('x-ratelimit-remaining')).toBe('60')
    const list = () => api.call('listLegacyLocations', { token })
    expect((await whenExhausted(api, token, list)).status).toBe(429)
    expect((await api.call('updateLegacyAsset', { token, params: { identifier }, body: {} })).status).toBe(
      200,
    )
  })
})
