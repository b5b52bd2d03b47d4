import { catalogLookup, MAX_ASSET_KEYS } from '@whereabouts/contracts/messages/catalog-lookup'
import { request } from '@whereabouts/messaging/messages/request'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { expect } from 'vitest'
import { test } from '../../../test/catalog.fixture.ts'
import { serveLookups, lookUp } from './lookup.responder.ts'

test('D6.5 a lookup finds tags by match_value, with their owners', async ({ catalog, otherOrg }) => {
  const db = catalog.tenants
  const tags = [{ tag_type: 'rfid' as const, value: 'e2-80:11 60' }]
  const asset = await catalog.asset({ tags })
  const dock = await catalog.location({ tags: [{ tag_type: 'barcode', value: 'a-b' }] })
  await catalog.asset({ tags }, { org: otherOrg })
  const read = [
    { tag_type: 'rfid', value: 'E2801160' },
    { tag_type: 'barcode', value: 'a-b' },
    { tag_type: 'barcode', value: 'AB' },
  ]
  const reply = await lookUp(db, { org_id: catalog.orgId, tags: read })
  expect(new Set(reply.tags.map((tag) => tag.id))).toEqual(new Set([asset.tags[0]?.id, dock.tags[0]?.id]))
  expect(reply.assets).toMatchObject([{ id: asset.id, external_key: asset.external_key }])
  expect(reply.locations).toMatchObject([{ id: dock.id, parent_id: null }])
  expect(catalogLookup.published.parse(reply)).toEqual(reply)
})

test('D16.5 a lookup finds a code under its other spellings', async ({ catalog }) => {
  const tags = [
    'urn:epc:id:sgtin:0614141.812345.6789',
    '30-74257BF7194E4000001A85',
    '3034257BF7194E4000001A85',
  ]
  await catalog.asset({ tags: tags.map((value) => ({ tag_type: 'rfid' as const, value })) })
  const found = async (value: string) => {
    const reply = await lookUp(catalog.tenants, {
      org_id: catalog.orgId,
      tags: [{ tag_type: 'rfid', value }],
    })
    return reply.tags.map((tag) => tags.indexOf(tag.value)).toSorted((a, b) => a - b)
  }
  expect(await found('3074257BF7194E4000001A85')).toEqual([0, 1])
  expect(await found('urn:epc:id:sgtin:0614141.812345.6789')).toEqual([0, 1, 2])
})

test('detached tags and tags of deleted owners are not found', async ({ catalog }) => {
  const one = await catalog.asset({ tags: [{ tag_type: 'rfid', value: '1' }] })
  const two = await catalog.asset({ tags: [{ tag_type: 'rfid', value: '2' }] })
  await catalog.delete(`/assets/${one.id}`)
  await catalog.delete(`/assets/${two.id}/tags/${two.tags[0]?.id}`)
  const read = ['1', '2'].map((value) => ({ tag_type: 'rfid', value }))
  const reply = await lookUp(catalog.tenants, { org_id: catalog.orgId, tags: read })
  expect(reply).toEqual({ assets: [], locations: [], tags: [] })
})

test('ids find deleted rows too, keys only live ones, and neither those of another organization', async ({
  catalog,
  otherOrg,
}) => {
  const asset = await catalog.asset()
  const gone = await catalog.location({ external_key: 'DOCK' })
  await catalog.delete(`/assets/${asset.id}`)
  await catalog.delete(`/locations/${gone.id}`)
  const live = await catalog.location({ external_key: 'DOCK' })
  const theirs = await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
  const ask = { org_id: catalog.orgId, asset_ids: [asset.id, theirs.id] }
  const byKey = await lookUp(catalog.tenants, { ...ask, location_keys: ['DOCK', 'THEIRS'] })
  expect(byKey.assets).toMatchObject([{ id: asset.id, deleted_at: expect.any(String) }])
  expect(byKey.locations.map((l) => l.id)).toEqual([live.id])
  const byId = await lookUp(catalog.tenants, {
    org_id: catalog.orgId,
    location_ids: [gone.id, theirs.id],
  })
  expect(byId.locations).toMatchObject([{ id: gone.id, deleted_at: expect.any(String) }])
})

test('D8.5 keys find live assets that lists hide, and none of another organization', async ({
  catalog,
  otherOrg,
}) => {
  const old = await catalog.asset({ external_key: 'CRATE', metadata: { colour: 'red' } })
  await catalog.delete(`/assets/${old.id}`)
  const { id, name } = await catalog.asset({ external_key: 'CRATE', metadata: { colour: 'blue' } })
  const valid_to = '2021-01-01T00:00:00.000Z'
  const valid_from = '2020-01-01T00:00:00.000Z'
  await catalog.asset({ external_key: 'EXPIRED', valid_from, valid_to, is_active: false })
  await catalog.asset({ external_key: 'THEIRS' }, { org: otherOrg })
  const asset_keys = ['CRATE', 'EXPIRED', 'THEIRS', 'crate', '\u0000', '\ud800']
  const reply = await lookUp(catalog.tenants, { org_id: catalog.orgId, asset_keys })
  expect(reply.assets_by_key?.toSorted((a, b) => (a.external_key < b.external_key ? -1 : 1))).toEqual([
    {
      org_id: catalog.orgId,
      id,
      revision: expect.any(Number),
      external_key: 'CRATE',
      name,
      valid_from: expect.any(String),
      valid_to: null,
      deleted_at: null,
    },
    expect.objectContaining({ external_key: 'EXPIRED', valid_from, valid_to }),
  ])
  expect(reply.assets).toEqual([]) // a reply about many assets has no room for metadata
  expect(catalogLookup.published.parse(reply)).toEqual(reply)
})

test('the maximum number of keys with the longest names fits into one reply', async ({ catalog }) => {
  const asset_keys = Array.from({ length: MAX_ASSET_KEYS }, (_, i) => String(i).padEnd(255, 'K'))
  const made = asset_keys.map((external_key, i) =>
    catalog.asset({ external_key, name: (i % 2 === 0 ? '📦' : '"').repeat(255) }),
  )
  await Promise.all(made)
  const reply = await lookUp(catalog.tenants, { org_id: catalog.orgId, asset_keys })
  expect(reply.assets_by_key).toHaveLength(MAX_ASSET_KEYS)
  const ask = { org_id: catalog.orgId, asset_keys: [...asset_keys, 'ONE-MORE'] }
  await expect(lookUp(catalog.tenants, ask)).rejects.toThrow('not a lookup request')
})

test('ADR 70 a location with the longest texts takes no more room in a reply than four assets', async ({
  catalog,
}) => {
  const [location_keys, asset_keys] = [100, MAX_ASSET_KEYS - 4 * 100].map((count) =>
    Array.from({ length: count }, (_, i) => String(i).padEnd(255, 'K')),
  )
  const name = '📦'.repeat(255)
  await Promise.all([
    ...location_keys!.map((external_key) =>
      catalog.location({ external_key, name, description: '📦'.repeat(1024) }),
    ),
    ...asset_keys!.map((external_key) => catalog.asset({ external_key, name })),
  ])
  const reply = await lookUp(catalog.tenants, { org_id: catalog.orgId, asset_keys, location_keys })
  expect(reply.locations).toHaveLength(100)
  expect(reply.assets_by_key).toHaveLength(asset_keys!.length)
})

test('values that no tag can have are ignored', async ({ catalog }) => {
  await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'AB' }] })
  const values = ['\u0000', '\ud800', 'ab', 'x'.repeat(5000)]
  const read = values.map((value) => ({ tag_type: 'rfid', value }))
  const reply = await lookUp(catalog.tenants, {
    org_id: catalog.orgId,
    tags: read,
    location_keys: ['\u0000'],
  })
  expect(reply.tags).toHaveLength(1)
})

test('malformed requests, and replies larger than a message, are refused', async ({ catalog }) => {
  const db = catalog.tenants
  await expect(lookUp(db, { org_id: 'x' })).rejects.toThrow('not a lookup request')
  const many = Array.from({ length: 1001 }, (_, i) => i)
  await expect(lookUp(db, { org_id: catalog.orgId, asset_ids: many })).rejects.toThrow('not a lookup request')
  const metadata = { text: 'x'.repeat(60_000) }
  const made = await Promise.all(Array.from({ length: 17 }, () => catalog.asset({ metadata })))
  const asset_ids = made.map((asset) => asset.id)
  await expect(lookUp(db, { org_id: catalog.orgId, asset_ids })).rejects.toThrow('too large')
})

test('a lookup over the broker gets a reply', async ({ catalog, bus }) => {
  const db = catalog.tenants
  const log = createLogger('catalog', 'silent')
  const responders = [serveLookups(bus.broker, db, log), serveLookups(bus.broker, db, log)]
  const asset = await catalog.asset()
  const lookup = { org_id: catalog.orgId, asset_ids: [asset.id] }
  const reply = await request(bus.broker, catalogLookup.subject, lookup, { timeoutMs: 2_000 })
  expect(catalogLookup.reply.parse(reply).assets).toMatchObject([{ id: asset.id }])
  const refused = request(bus.broker, catalogLookup.subject, [], { timeoutMs: 2_000 })
  await expect(refused).rejects.toMatchObject({ failure: 'refused' })
  await Promise.all(responders.map((responder) => responder.stop()))
})
