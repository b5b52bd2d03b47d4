import type { FieldEntry } from '@whereabouts/contracts/errors'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { catalogOf } from './support/catalog.ts'
import { entry, nullEntry, required, tooLong, tooShort, typeEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'

const vocabularies = ['saveInventory', 'saveLegacyInventory'] as const
type Vocabulary = (typeof vocabularies)[number]

const save = (api: Api, operationId: Vocabulary, token: string, assets: unknown, location: unknown) =>
  api.call(operationId, { token, body: { asset_identifiers: assets, location_identifier: location } })

const notAKey = (field: string) =>
  entry(field, 'invalid_value', `${field} must contain only letters, digits and hyphens`)
const unresolved = (field: string, kind: string, value: string) =>
  entry(field, 'fk_not_found', `${field}: ${value} does not name a live ${kind}`, { value })

describe.for(vocabularies)('%s', (operationId) => {
  const assets = 'asset_identifiers'
  const place = 'location_identifier'
  const one = ['BOX-1']
  const cases: [body: object, ...fields: FieldEntry[]][] = [
    [{}, required(assets), required(place)],
    [{ [assets]: null, [place]: null }, nullEntry(assets, 'array'), nullEntry(place, 'string')],
    [{ [assets]: 'BOX-1', [place]: ['DOCK'] }, typeEntry(assets, 'array', 'string'), typeEntry(place, 'string', 'array')],
    [{ [assets]: [], [place]: '' }, entry(assets, 'too_short', `${assets} must contain at least 1 item`, { min_length: 1 }), tooShort(place)],
    [{ [assets]: Array.from({ length: 10_001 }, (_, i) => `B-${i}`), [place]: 'D' }, entry(assets, 'too_long', `${assets} must contain at most 10000 items`, { max_length: 10_000 })],
    [{ [assets]: one, [place]: 'x'.repeat(256) }, tooLong(place, 255)],
    [{ [assets]: one, [place]: 'DOCK 1' }, notAKey(place)],
    [{ [assets]: ['', 'x'.repeat(256), 'BOX_1', null, 7], [place]: 'D' }, tooShort(`${assets}[0]`), tooLong(`${assets}[1]`, 255), notAKey(`${assets}[2]`), nullEntry(`${assets}[3]`, 'string'), typeEntry(`${assets}[4]`, 'string', 'number')],
    [{ [assets]: one, [place]: 'D', note: 'x', asset_ids: [1] }, entry('asset_ids', 'unknown_field', 'unknown field "asset_ids"'), entry('note', 'unknown_field', 'unknown field "note"')],
    [{ [assets]: ['NONE-1', 'NONE-2', 'NONE-1'], [place]: 'NOWHERE' }, unresolved(place, 'location', 'NOWHERE'), unresolved(assets, 'asset', 'NONE-1'), unresolved(assets, 'asset', 'NONE-2')],
  ] // oxfmt-ignore
  const named = cases.map(([body, ...fields]) => ({
    body,
    fields,
    name: fields.map((f) => `${f.field} ${f.code}`).join(', '),
  }))
  test.for(named)('D3 D8.5 $name', async ({ body, fields }, { api, token }) => {
    const reply = await api.call(operationId, { token, body })
    expect(reply.body.error).toMatchObject({ type: 'validation_error' })
    expect(reply.body.error.fields).toEqual(fields)
  })

  test('D8.5 is 201; duplicates count once; report and history show it at once', async ({ api, newOrg }) => {
    const { token } = await (await newOrg()).key()
    const { asset, location } = catalogOf(api, token)
    const [box, crate, dock] = [
      await asset({ name: 'Box' }),
      await asset(),
      await location({ name: 'Dock 1' }),
    ]
    const keys = [box.external_key, crate.external_key, box.external_key]
    const { status, headers, body } = await save(api, operationId, token, keys, dock.external_key)
    expect(status).toBe(201)
    expect(body.data).toEqual({
      count: 2,
      location_id: dock.id,
      location_name: 'Dock 1',
      timestamp: expect.any(String),
    })
    expect(headers.has('x-ratelimit-limit')).toBe(false)
    const seen = { location_id: dock.id, location_external_key: dock.external_key }
    const report = await api.call('listAssetLocations', { token })
    expect(report.body).toMatchObject({ total_count: 2, data: [seen, seen] })
    expect(report.body.data[0]?.asset_last_seen).toBe(body.data.timestamp)
    const history = await api.call('listAssetHistory', { token, params: { asset_id: box.id } })
    expect(history.body.data).toEqual([
      { ...seen, event_observed_at: body.data.timestamp, duration_seconds: null },
    ])
  })

  test('D8.5 it is all or nothing', async ({ api, newOrg }) => {
    const { token } = await (await newOrg()).key()
    const { asset, location } = catalogOf(api, token)
    const [box, dock] = [await asset(), await location()]
    const refused = await save(api, operationId, token, [box.external_key, 'NONE'], dock.external_key)
    expect(refused.status).toBe(400)
    expect((await api.call('listAssetLocations', { token })).body.total_count).toBe(0)
  })

  test('D8.9 a deletion takes effect at once, and a freed key names its new owner', async ({
    api,
    token,
  }) => {
    const { asset, location, deleteAsset, deleteLocation } = catalogOf(api, token)
    const [box, dock] = [await asset(), await location()]
    await deleteAsset(box.id)
    const first = await save(api, operationId, token, [box.external_key], dock.external_key)
    expect(first.body.error.fields).toEqual([unresolved('asset_identifiers', 'asset', box.external_key)])
    const newOwner = await asset({ external_key: box.external_key })
    expect((await save(api, operationId, token, [box.external_key], dock.external_key)).status).toBe(201)
    const history = await api.call('listAssetHistory', { token, params: { asset_id: newOwner.id } })
    expect(history.body.total_count).toBe(1)
    await deleteLocation(dock.id)
    const last = await save(api, operationId, token, [box.external_key], dock.external_key)
    expect(last.body.error.fields).toEqual([unresolved('location_identifier', 'location', dock.external_key)])
  })
})

test('D7.1 an asset and a location that lists hide can be saved', async ({ api, token }) => {
  const { asset, location } = catalogOf(api, token)
  const hidden = { is_active: false, valid_from: '2020-01-01T00:00:00Z', valid_to: '2021-01-01T00:00:00Z' }
  const [box, dock] = [await asset(hidden), await location(hidden)]
  const { status } = await save(api, 'saveInventory', token, [box.external_key], dock.external_key)
  expect(status).toBe(201)
})

test('a repetition gets the same reply and adds no row', async ({ api, token }) => {
  const { asset, location } = catalogOf(api, token)
  const [box, dock] = [await asset(), await location()]
  const again = () => save(api, 'saveInventory', token, [box.external_key], dock.external_key)
  const [first, second] = [await again(), await again()]
  expect(second.status).toBe(201)
  expect({ ...second.body.data, timestamp: '' }).toEqual({ ...first.body.data, timestamp: '' })
  const minuteOf = (timestamp: string) => timestamp.slice(0, 16)
  const minutes = new Set([first, second].map(({ body }) => minuteOf(body.data.timestamp)))
  const history = await api.call('listAssetHistory', { token, params: { asset_id: box.id } })
  expect(history.body.total_count).toBe(minutes.size)
})

test('D7.3 it takes no parameters', async ({ api, token }) => {
  const reply = await api.call('saveInventory', { token, query: { limit: 5, colour: 'red' }, body: {} })
  expect(reply.body.error.fields?.map(({ field, code }) => `${field} ${code}`)).toEqual([
    'colour unknown_field',
    'limit invalid_context',
  ])
})
