import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { newOrganization } from './support/organization.ts'
import { kinds, resourcesOf } from './support/resources.ts'

const newTag = () => ({ tag_type: 'rfid' as const, value: randomUUID() })
const newKey = () => randomUUID().toUpperCase()

describe('D12.3 a 409 says who has the key or the tag', () => {
  test.for(kinds)('a %s that has the key, also outside its validity', async (kind, { api, org }) => {
    const { create, make } = resourcesOf(api, org.admin, kind)
    const external_key = newKey()
    const { id } = await make({ external_key, valid_to: '2026-01-01T00:00:00Z', valid_from: '2025-01-01T00:00:00Z' })
    const { status, body } = await create({ external_key, name: 'Second' })
    expect([status, body.error.conflict]).toEqual([409, { resource: kind, id, external_key }])
  })

  test('an asset or a location that has the tag, whoever wants it and how', async ({ api, org }) => {
    const [assets, locations] = (['asset', 'location'] as const).map((kind) => resourcesOf(api, org.admin, kind))
    const [onAsset, onLocation] = [newTag(), newTag()]
    const asset = await assets!.make({ tags: [onAsset] })
    const location = await locations!.make({ tags: [onLocation] })
    const ofAsset = { resource: 'asset', id: asset.id, external_key: asset.external_key }
    const ofLocation = { resource: 'location', id: location.id, external_key: location.external_key }
    expect((await locations!.create({ tags: [newTag(), onAsset] })).body.error.conflict).toEqual(ofAsset)
    expect((await assets!.attach(asset.id, onLocation)).body.error.conflict).toEqual(ofLocation)
    expect((await assets!.attach(asset.id, onAsset)).body.error.conflict, 'itself').toEqual(ofAsset)
  })

  test('the owner of the key where key and tag are taken', async ({ api, org }) => {
    const { create, make } = resourcesOf(api, org.admin, 'asset')
    const tag = newTag()
    const [first, second] = [await make(), await make({ tags: [tag] })]
    const { body } = await create({ external_key: first.external_key, tags: [tag] })
    expect(body.error.conflict?.id).toBe(first.id)
    expect(second.id).not.toBe(first.id)
  })

  test('a rename to a taken key', async ({ api, org }) => {
    const { make } = resourcesOf(api, org.admin, 'asset')
    const [first, second] = [await make(), await make()]
    const { external_key } = first
    const params = { asset_id: second.id }
    const { status, body } = await api.call('renameAsset', { token: org.admin, params, body: { external_key } })
    expect([status, body.error.conflict?.id]).toEqual([409, first.id])
  })

  test('nobody: a tag that is twice in one request, and other conflicts', async ({ api, org }) => {
    const { create, make, remove } = resourcesOf(api, org.admin, 'location')
    const tag = newTag()
    const twice = await create({ tags: [tag, tag] })
    expect([twice.status, twice.body.error.conflict]).toEqual([409, undefined])
    const parent = await make()
    await make({ parent_id: parent.id })
    const holding = await remove(parent.id)
    expect([holding.status, holding.body.error.conflict]).toEqual([409, undefined])
  })

  test('never another organization, which may have the same key and tag', async ({ api, org }) => {
    const other = await newOrganization(api)
    const { make } = resourcesOf(api, org.admin, 'asset')
    const theirs = resourcesOf(api, other.admin, 'asset')
    const [external_key, tag] = [newKey(), newTag()]
    await make({ external_key, tags: [tag] })
    const own = await theirs.make({ external_key, tags: [tag] })
    expect((await theirs.create({ external_key })).body.error.conflict?.id).toBe(own.id)
    expect((await theirs.create({ tags: [tag] })).body.error.conflict?.id).toBe(own.id)
  })
}) // oxfmt-ignore
