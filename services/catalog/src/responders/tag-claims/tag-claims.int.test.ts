import { attachTag, type AttachTag } from '@whereabouts/contracts/messages/attach-tag'
import { MAX_TAGS } from '@whereabouts/contracts/resources/catalog/tags'
import { request } from '@whereabouts/messaging/messages/request'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'
import { serveTagClaims, attachRequestedTag } from './tag-claims.responder.ts'

const tag = { tag_type: 'rfid' as const, value: 'E280' }

const ask = (catalog: Catalog, wanted: Partial<AttachTag>) =>
  attachRequestedTag(catalog.runInTransaction, { org_id: catalog.orgId, ...tag, ...wanted })

test('a tag is attached to an asset or a location, by id, by key or by both, and published', async ({
  catalog,
}) => {
  const [asset, dock] = [await catalog.asset(), await catalog.location()]
  await catalog.takeOutbox()
  const [assetKey, dockKey] = [asset.external_key, dock.external_key]
  const owners = [
    { asset_id: asset.id },
    { asset_external_key: assetKey },
    { asset_id: asset.id, asset_external_key: assetKey },
    { location_id: dock.id },
    { location_external_key: dockKey },
    { location_id: dock.id, location_external_key: dockKey },
  ]
  for (const [i, owner] of owners.entries()) {
    const reply = await ask(catalog, { ...owner, value: `T${i}` })
    const of = i < 3 ? { asset_id: asset.id, location_id: null } : { asset_id: null, location_id: dock.id }
    const owner_external_key = i < 3 ? assetKey : dockKey
    expect(reply).toMatchObject({ owner_external_key, tag: { ...of, org_id: catalog.orgId, value: `T${i}`, deleted_at: null } }) // oxfmt-ignore
    expect(attachTag.reply.parse(reply)).toEqual(reply)
    const published = await catalog.takeOutbox()
    expect(published.map(({ payload }) => payload)).toEqual(['tag' in reply && reply.tag])
  }
  const { tags } = (await catalog.get(`/assets/${asset.id}`)).json().data
  expect(tags.map(({ value }: { value: string }) => value)).toEqual(['T0', 'T1', 'T2'])
})

test('a tag that the owner already has is returned and changes nothing, also at the limit of tags', async ({
  catalog,
}) => {
  const tags = Array.from({ length: MAX_TAGS - 1 }, (_, i) => ({ ...tag, value: `T${i}` }))
  const asset = await catalog.asset({ tags })
  const first = await ask(catalog, { asset_id: asset.id })
  await catalog.takeOutbox()
  const again = await Promise.all([1, 2, 3].map(() => ask(catalog, { asset_id: asset.id })))
  expect(again).toEqual([first, first, first])
  expect(await catalog.takeOutbox()).toEqual([])
})

describe('the refusal is the error of the API', () => {
  const refusals = async (catalog: Catalog, wanted: Partial<AttachTag>) => {
    const reply = await ask(catalog, wanted)
    if (!('refused' in reply)) throw new Error('it was attached')
    expect(attachTag.reply.parse(reply)).toEqual(reply)
    const { type, detail, fields = [] } = reply.refused
    return [type, detail, ...fields.map(({ field, code }) => `${field} ${code}`)]
  }

  test('D6.3 if another owner has the tag, and at the limit of tags', async ({ catalog }) => {
    const [asset, dock] = [await catalog.asset({ tags: [tag] }), await catalog.location()]
    const exists = ['conflict', 'tag rfid:E280 already exists']
    expect(await refusals(catalog, { location_id: dock.id })).toEqual(exists)
    expect(await refusals(catalog, { asset_id: (await catalog.asset()).id })).toEqual(exists)
    const many = Array.from({ length: MAX_TAGS }, (_, i) => ({ ...tag, value: `T${i}` }))
    const full = await catalog.asset({ tags: many })
    expect((await refusals(catalog, { asset_id: full.id, value: 'new' }))[1]).toMatch(/at most/)
    expect((await catalog.get(`/assets/${asset.id}`)).json().data.tags).toHaveLength(1)
  })

  test('D5.3 if no live resource of the organization has the id or key, or if they differ', async ({
    catalog,
    otherOrg,
  }) => {
    const [asset, gone, theirs] = [await catalog.asset(), await catalog.asset(), await catalog.asset({}, { org: otherOrg })] // oxfmt-ignore
    await catalog.delete(`/assets/${gone.id}`)
    const codes = async (wanted: Partial<AttachTag>) => (await refusals(catalog, wanted)).slice(2)
    for (const { id } of [gone, theirs])
      expect(await codes({ asset_id: id })).toEqual(['asset_id fk_not_found'])
    expect(await codes({ location_id: asset.id })).toEqual(['location_id fk_not_found'])
    expect(await codes({ location_external_key: 'NOWHERE' })).toEqual(['location_external_key fk_not_found'])
    const key = { asset_external_key: asset.external_key }
    expect(await codes({ asset_id: gone.id, ...key })).toEqual(['asset_id fk_not_found'])
    const both = ['asset_id ambiguous_fields', 'asset_external_key ambiguous_fields']
    expect(await codes({ asset_id: (await catalog.asset()).id, ...key })).toEqual(both)
    expect((await catalog.get(`/assets?include_deleted=true`)).json().data.flatMap((a: { tags: [] }) => a.tags)).toEqual([]) // oxfmt-ignore
  })
})

test('a request over the broker gets a reply, and is refused if it is malformed', async ({
  catalog,
  bus,
}) => {
  const responder = serveTagClaims(bus.broker, catalog.runInTransaction, createLogger('catalog', 'silent'))
  const { id } = await catalog.asset()
  const over = (payload: unknown) => request(bus.broker, attachTag.subject, payload, { timeoutMs: 5_000 })
  const wanted = { org_id: catalog.orgId, ...tag, asset_id: id }
  expect(await over(wanted)).toMatchObject({ tag: { asset_id: id } })
  await expect(over({ ...wanted, org_id: 'x' })).rejects.toThrow('not a request to attach a tag')
  await expect(over({ ...wanted, value: 'a\0' })).rejects.toThrow('not a tag')
  await responder.stop()
})
