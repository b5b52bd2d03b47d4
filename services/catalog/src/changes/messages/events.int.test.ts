import { catalogEvents } from '@whereabouts/contracts/messages/catalog-events'
import { MAX_TAGS } from '@whereabouts/contracts/resources/catalog/tags'
import { publish } from '@whereabouts/messaging/messages/publish'
import { describe, expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'
import { attachRequestedTag } from '../../responders/tag-claims/tag-claims.responder.ts'

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })
const named = ({ id, external_key, name }: { id: number; external_key: string; name: string }) => ({
  id,
  external_key,
  name,
})
const viewOf = async (catalog: Catalog, path: string) => (await catalog.get(path)).json().data
const said = async (catalog: Catalog) =>
  (await catalog.takeEvents()).map(({ type, data }) => ({ type, data }))

/** Events of requests are in test/reference-model, with random requests. */
describe('D13.1 a restore is one update', () => {
  test.for(['asset', 'location'] as const)(
    'of the %s, and its tags come with it',
    async (kind, { catalog }) => {
      const made = await catalog[kind]({ tags: [rfid(`back ${kind}`)] })
      const path = `/${kind}s/${made.id}`
      await catalog.delete(path)
      await catalog.takeEvents()
      expect((await catalog.post(`${path}/restore`, { external_key: 'NEW' })).statusCode).toBe(200)
      const view = await viewOf(catalog, path)
      const events = await catalog.takeEvents()
      const changed = ['deleted_at', 'external_key', 'tags']
      expect(events).toEqual([{ type: `${kind}.updated`, data: { [kind]: view, changed }, occurred_at: view.updated_at }]) // oxfmt-ignore
      expect(view.tags).toHaveLength(1)
      expect((await catalog.post(`${path}/restore`, {})).statusCode).toBe(200)
      expect(await catalog.takeEvents()).toEqual([])
    },
  )

  test('of the location, at another place', async ({ catalog }) => {
    const [parent, child] = [await catalog.location(), await catalog.location()]
    await catalog.delete(`/locations/${child.id}`)
    await catalog.takeEvents()
    await catalog.post(`/locations/${child.id}/restore`, { parent_id: parent.id })
    const changed = ['deleted_at', 'parent_external_key', 'parent_id']
    const location = await viewOf(catalog, `/locations/${child.id}`)
    expect(await said(catalog)).toEqual([{ type: 'location.updated', data: { location, changed } }])
  })
})

describe.for(['asset', 'location'] as const)('D13.1 a legacy PUT of an %s', (kind) => {
  const put = (catalog: Catalog, key: string, body: object) =>
    catalog.call('PUT', `/${kind}s/${key}`, body, { vocabulary: 'legacy' })
  const identifier = (value: string) => ({ type: 'rfid', value })

  test('has one event of each change, and none where nothing changes', async ({ catalog }) => {
    const made = await catalog[kind]({ external_key: 'OLD', tags: [rfid(`${kind} a`), rfid(`${kind} b`)] })
    await catalog.takeEvents()
    const body = { name: 'Renamed', identifier: 'NEW', identifiers: [identifier(`${kind} b`), identifier(`${kind} c`)] } // oxfmt-ignore
    expect((await put(catalog, 'OLD', body)).statusCode).toBe(200)
    const view = await viewOf(catalog, `/${kind}s/${made.id}`)
    const events = await said(catalog)
    expect(events.map(({ type, data }) => [type, data['changed']])).toEqual([
      [`${kind}.updated`, ['name']],
      [`${kind}.updated`, ['external_key']],
      ['tag.attached', undefined],
      ['tag.detached', undefined],
    ])
    expect(events[2]?.data).toEqual({ tag: view.tags[1], [kind]: named(view) })
    expect(events[3]?.data).toEqual({ tag: made.tags[0], [kind]: named(view) })
    expect((await put(catalog, 'NEW', body)).statusCode).toBe(200)
    expect(await said(catalog)).toEqual([])
  })

  test('that is refused at the end has none', async ({ catalog }) => {
    await catalog[kind]({ external_key: 'MINE' })
    await catalog[kind]({ tags: [rfid(`${kind} theirs`)] })
    await catalog.takeEvents()
    const body = { name: 'Renamed', identifier: 'NEW', identifiers: [identifier(`${kind} theirs`)] }
    expect((await put(catalog, 'MINE', body)).statusCode).toBe(409)
    expect(await catalog.takeEvents()).toEqual([])
  })
})

test('D13.1 a tag that is claimed over the broker is attached once, in its organization', async ({
  catalog,
  otherOrg,
}) => {
  const asset = await catalog.asset()
  await catalog.takeEvents()
  const claim = () =>
    attachRequestedTag(catalog.runInTransaction, {
      org_id: catalog.orgId,
      asset_id: asset.id,
      ...rfid('claimed'),
    })
  await Promise.all([claim(), claim(), claim()])
  const { tags } = await viewOf(catalog, `/assets/${asset.id}`)
  const data = { tag: tags[0], asset: named(asset) }
  expect(await said(catalog)).toEqual([{ type: 'tag.attached', data }])
  expect(await catalog.takeEvents(otherOrg)).toEqual([])
})

describe('D13.1 an import', () => {
  test('has an event of each row that changed and of each tag of a thing that existed', async ({
    catalog,
    imports,
    otherOrg,
  }) => {
    const kept = await catalog.asset({ external_key: 'KEPT', name: 'same', tags: [rfid('e1'), rfid('e2')] })
    const other = await catalog.asset({ external_key: 'OTHER', description: 'gone soon' })
    await catalog.asset({ external_key: 'SAME', name: 'same' })
    await catalog.takeEvents()
    const csv = ['external_key,name,description,rfid', 'KEPT,same,,e2', 'OTHER,new name,,e3', 'SAME,same,,', 'MADE,made,,e1|e4'].join('\n') // oxfmt-ignore
    await imports.run('assets', csv, { dryRun: true })
    expect(await catalog.takeEvents()).toEqual([])
    await imports.run('assets', csv)
    const made = (await viewOf(catalog, '/assets?external_key=MADE'))[0]
    const asset = await viewOf(catalog, `/assets/${other.id}`)
    const events = await catalog.takeEvents()
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'tag.detached', data: { tag: kept.tags[0], asset: named(kept) } },
      { type: 'asset.created', data: { asset: made } },
      { type: 'asset.updated', data: { asset, changed: ['description', 'name'] } },
      { type: 'tag.attached', data: { tag: asset.tags[0], asset: named(asset) } },
      { type: 'import.finished', data: { import: expect.anything() } },
    ])
    expect(made.tags).toHaveLength(2)
    expect(events.map((event) => event.occurred_at)).toEqual([
      expect.any(String),
      made.created_at,
      asset.updated_at,
      expect.any(String),
      expect.any(String),
    ])
    expect(await catalog.takeEvents(otherOrg)).toEqual([])
    for (let again = 0; again < 3; again += 1) {
      await imports.run('assets', csv)
      expect((await catalog.takeEvents()).map(({ type }) => type)).toEqual(['import.finished'])
    }
  })

  test('that moves locations has one update of each, with its new parent', async ({ catalog, imports }) => {
    const parent = await catalog.location({ external_key: 'PARENT' })
    const child = await catalog.location({
      external_key: 'CHILD',
      valid_from: '2026-01-01T00:00:00.1234567Z',
    })
    await catalog.takeEvents()
    const csv = 'external_key,name,parent_external_key\nCHILD,Dock,PARENT\nNEW,New,CHILD'
    await imports.run('locations', csv)
    const made = (await viewOf(catalog, '/locations?external_key=NEW'))[0]
    const location = await viewOf(catalog, `/locations/${child.id}`)
    expect(made.parent_external_key).toBe('CHILD')
    expect(location.parent_id).toBe(parent.id)
    expect(await said(catalog)).toEqual([
      { type: 'location.created', data: { location: made } },
      { type: 'location.updated', data: { location, changed: ['parent_external_key', 'parent_id'] } },
      { type: 'import.finished', data: { import: expect.anything() } },
    ])
  })
})

test('D13.1 the largest asset is an event that the broker takes', async ({ catalog, bus }) => {
  const tags = Array.from({ length: MAX_TAGS }, (_, i) => rfid(`${'😀'.repeat(250)}${i}`))
  const metadata = { text: '"'.repeat(32 * 1024 - 10) }
  const largest = { name: '😀'.repeat(255), description: '\t'.repeat(1024), external_key: 'K'.repeat(255) }
  const { id } = await catalog.asset({ ...largest, metadata, tags })
  await catalog.patch(`/assets/${id}`, { is_active: false })
  const events = await catalog.takeEvents()
  expect(events.map(({ type }) => type)).toEqual(['asset.created', 'asset.updated'])
  for (const { data, occurred_at } of events) {
    const payload = { delivery_id: crypto.randomUUID(), org_id: catalog.orgId, occurred_at, data }
    const subject = catalogEvents['asset.created'].subject(payload)
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeGreaterThan(250_000)
    expect(await publish(bus.broker, { subject, payload })).toMatchObject({ ok: true, stream: 'EVENTS' })
  }
})
