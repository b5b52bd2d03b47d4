import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { entry, enumEntry, nullEntry, required, tooLong, tooShort, typeEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { callOf, UNKNOWN_ID } from './support/rows.ts'

/** A body, and all entries of the reply, in this order. */
type Case = [operationId: OperationId, body: object, ...fields: FieldEntry[]]

const tagTypes = ['rfid', 'ble', 'barcode']
const scopes = ['assets:read', 'assets:write', 'locations:read', 'locations:write', 'scans:read', 'scans:write', 'keys:admin', 'webhooks:admin', 'tracking:read', 'events:read', 'audit:read', 'rules:read', 'rules:write'] // oxfmt-ignore
const name = 'Forklift'

describe('D3 message templates', () => {
  const cases: Case[] = [
    ['createAsset', {}, required('name')],
    ['createAsset', { name: '' }, tooShort('name')],
    ['createAsset', { name: null }, nullEntry('name', 'string')],
    ['createLocation', {}, required('name')],
    ['createLocation', { name: '' }, tooShort('name')],
    ['createLocation', { name: null }, nullEntry('name', 'string')],
    ['createApiKey', {}, required('name'), required('scopes')],
    ['createApiKey', { name: null, scopes: null }, nullEntry('name', 'string'), nullEntry('scopes', 'array')],
    ['addAssetTag', {}, required('tag_type'), required('value')],
    ['addAssetTag', { tag_type: 'rfid', value: '' }, tooShort('value')],
    ['addAssetTag', { tag_type: 'rfid', value: null }, nullEntry('value', 'string')],
    ['createAsset', { name, tags: [{ tag_type: 'rfid' }] }, required('tags[0].value')],
    ['createAsset', { name, tags: [{ tag_type: 'rfid', value: '' }] }, tooShort('tags[0].value')],
    ['createAsset', { name, tags: [{ tag_type: 'rfid', value: null }] }, nullEntry('tags[0].value', 'string')],
    ['createApiKey', { name, scopes: [] }, entry('scopes', 'too_short', 'scopes must contain at least 1 item', { min_length: 1 })],
    ['createAsset', { name: 'x'.repeat(256) }, tooLong('name', 255)],
    ['createAsset', { name, external_key: 'x'.repeat(256) }, tooLong('external_key', 255)],
    ['createAsset', { name, description: 'x'.repeat(1025) }, tooLong('description', 1024)],
    ['createAsset', { name, description: '' }, tooShort('description')],
    ['createApiKey', { name: 'x'.repeat(256), scopes: ['scans:read'] }, tooLong('name', 255)],
    ['addLocationTag', { tag_type: 'ble', value: 'x'.repeat(256) }, tooLong('value', 255)],
    ['createAsset', { name, tags: Array.from({ length: 201 }, () => ({ tag_type: 'rfid', value: 'x' })) }, entry('tags', 'too_long', 'tags must contain at most 200 items', { max_length: 200 })],
    ['createLocation', { name, parent_id: 0 }, entry('parent_id', 'too_small', 'parent_id must be ≥ 1', { min: 1 })],
    ['createScanPoint', { name, antenna: 0 }, entry('antenna', 'too_small', 'antenna must be ≥ 1', { min: 1 })],
    ['createScanPoint', { name, antenna: 65_536 }, entry('antenna', 'too_large', 'antenna must be ≤ 65535', { max: 65_535 })],
    ['createAsset', { name: 7 }, typeEntry('name', 'string', 'number')],
    ['createAsset', { name: true }, typeEntry('name', 'string', 'boolean')],
    ['createAsset', { name: {} }, typeEntry('name', 'string', 'object')],
    ['createAsset', { name: [] }, typeEntry('name', 'string', 'array')],
    ['createAsset', { name, is_active: 'true' }, typeEntry('is_active', 'boolean', 'string')],
    ['createAsset', { name, metadata: [] }, typeEntry('metadata', 'object', 'array')],
    ['createAsset', { name, metadata: null }, nullEntry('metadata', 'object')],
    ['createAsset', { name, tags: {} }, typeEntry('tags', 'array', 'object')],
    ['createAsset', { name, tags: ['rfid'] }, typeEntry('tags[0]', 'object', 'string')],
    ['createAsset', { name, type: 1 }, typeEntry('type', 'string', 'number')],
    ['createLocation', { name, parent_id: 1.5 }, typeEntry('parent_id', 'integer', 'number')],
    ['createApiKey', { name, scopes: ['scans:read', 'scans:write'], reader_key: 'dock-1' }, entry('reader_key', 'invalid_value', 'reader_key needs scans:write as the only scope')],
    ['createApiKey', { name, scopes: ['scans:write'], reader_key: 'a b' }, entry('reader_key', 'invalid_value', 'reader_key must contain only letters, digits and hyphens')],
    ['createApiKey', { name, scopes: ['scans:write'], reader_key: '' }, entry('reader_key', 'too_short', 'reader_key must be at least 1 character', { min_length: 1 })],
    ['createApiKey', { name, scopes: [5] }, typeEntry('scopes[0]', 'string', 'number')],
    ['createAsset', { name, type: 'pallet' }, enumEntry('type', ['asset', 'person', 'inventory'])],
    ['addAssetTag', { tag_type: 'nfc', value: 'x' }, enumEntry('tag_type', tagTypes)],
    ['createAsset', { name, tags: [{ tag_type: 'RFID', value: 'x' }] }, enumEntry('tags[0].tag_type', tagTypes)],
    ['createApiKey', { name, scopes: ['scans:read', 'assets:*'] }, enumEntry('scopes[1]', scopes)],
    ['createToken', { grant_type: 'password' }, enumEntry('grant_type', ['client_credentials', 'refresh_token'])],
    ['createToken', {}, required('grant_type')],
    ['createReader', { reader_key: 'a', name, format: 'x' }, enumEntry('format', ['canonical', 'impinj', 'zebra', 'csl', 'moko', 'minew', 'gl-s10', 'kkm', 'mapping'])],
    ['createAsset', { name, colour: 'red' }, entry('colour', 'unknown_field', 'unknown field "colour"')],
    ['createAsset', { name, tags: [{ tag_type: 'rfid', value: 'x', id: 1 }] }, entry('tags[0].id', 'unknown_field', 'unknown field "tags[0].id"')],
    ['createLocation', { name, metadata: {} }, entry('metadata', 'unknown_field', 'unknown field "metadata"')],
    ['createAsset', { name, location_id: 5 }, entry('location_id', 'read_only', 'location_id is read-only')],
    ['createAsset', { name, location_external_key: null }, entry('location_external_key', 'read_only', 'location_external_key is read-only')],
    ['createLocation', { name, parent_id: UNKNOWN_ID }, entry('parent_id', 'fk_not_found', expect.any(String))],
    ['createLocation', { name, parent_external_key: 'NOWHERE' }, entry('parent_external_key', 'fk_not_found', expect.any(String))],
    ['createLocation', { name, parent_id: null, parent_external_key: 'X' }, entry('parent_id', 'ambiguous_fields', expect.any(String)), entry('parent_external_key', 'ambiguous_fields', expect.any(String))],
  ] // oxfmt-ignore
  const named = cases.map(([operationId, body, ...fields]) => ({
    operationId,
    body,
    fields,
    name: `${operationId} ${JSON.stringify(body).slice(0, 80)}: ${fields.map((f) => `${f.field} ${f.code}`).join(', ')}`,
  }))
  test.for(named)('D3 $name', async ({ operationId, body, fields }, { api, org }) => {
    const reply = await api.call(operationId, { ...callOf(operationId, org), token: org.admin, body })
    expect(reply.body.error).toMatchObject({ type: 'validation_error', fields })
    expect(reply.body.error.fields).toHaveLength(fields.length)
  })

  test('D3 lengths count code points, not UTF-16 units', async ({ api, token }) => {
    const sent = { token, body: { name: '📦'.repeat(255) } }
    expect((await api.call('createAsset', sent)).status).toBe(201)
    const tooMany = { token, body: { name: '📦'.repeat(256) } }
    const { error } = (await api.call('createAsset', tooMany)).body
    expect(error.fields).toEqual([tooLong('name', 255)])
  })
})

describe('D3.2 all problems together', () => {
  test('D3.2 unknown keys first and sorted, then the order of the schema, one entry per field', async ({
    api,
    org,
  }) => {
    const body = { zebra: 1, tags: [{ value: 'x' }], is_active: 1, type: 'x', name: '', apple: 2 }
    const { error } = (await api.call('createAsset', { token: org.admin, body })).body
    const fields = error.fields?.map(({ field, code }) => `${field} ${code}`)
    expect(fields).toEqual([
      'apple unknown_field',
      'zebra unknown_field',
      'name too_short',
      'type invalid_value',
      'is_active invalid_value',
      'tags[0].tag_type required',
    ])
    expect(error.detail).toBe('unknown field "apple" (and 5 more validation errors)')
  })

  test('D3.2 one further problem is 1 more validation error', async ({ api, org }) => {
    const { error } = (await api.call('createAsset', { token: org.admin, body: { name: 1, type: 1 } })).body
    expect(error.detail).toBe('name must be string; received number (and 1 more validation error)')
  })
})

describe('D3 routes', () => {
  test.for([
    '/api/v1/nowhere',
    '/api/v1/assets/5/6',
    '/api/v1/',
    '/api/v1',
    '/api/v1/Assets',
    '/api/v1/assets/',
  ])('D2.3 %s is an unknown route', async (path, { api, org }) => {
    const { error } = (await api.request(`${path}?a=1`, { token: org.admin })).body
    expect(error).toMatchObject({ type: 'not_found', detail: `Unknown API route: ${path}`, instance: path })
  })

  test('D3.1 instance is the path without the query string', async ({ api, org }) => {
    const reply = await api.call('listAssets', { token: org.admin, query: 'limit=0&secret=1' })
    expect(reply.body.error.instance).toBe('/api/v1/assets')
  })
})
