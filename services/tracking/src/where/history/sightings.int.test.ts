import { describe, expect } from 'vitest'
import { store } from '../../../test/store.ts'
import { iso, NOW, scene, seen } from '../../../test/reports/scene.fixture.ts'
import { ingest, message, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'

/** The scene, in which organization 1 has configured reader `r` with antenna 1 at the gate. */
async function configured(tracking: Tracking) {
  const made = await scene(tracking)
  const reader = { reader_key: 'r', name: 'Reader', format: 'canonical' }
  const { data } = (await tracking.call('POST', '/readers', { body: reader })).json()
  const point = { antenna: 1, name: 'Gate', location_id: made.dock.id }
  const added = await tracking.call('POST', `/readers/${data.id}/scan-points`, { body: point })
  return { ...made, readerId: data.id, pointId: added.json().data.id }
}

const list = async (tracking: Tracking, assetId: number, query = '', orgId = 1) =>
  (await tracking.call('GET', `/assets/${assetId}/sightings${query}`, { orgId })).json()

const [DOCK_READ, SHELF_READ] = [5, 4].map((minutesAgo) => ({ value: 'E280', at: NOW - minutesAgo * 60_000 }))

describe('what decided a sighting', () => {
  test('a location key in the message wins over the scan point of the antenna', async ({ tracking }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ ...DOCK_READ!, location: 'SHELF' }]), message(1, [SHELF_READ!])])
    const [byPoint, byKey] = (await list(tracking, asset.id)).data
    expect(byKey).toMatchObject({
      location: { id: shelf.id },
      decided_by: 'location_key',
      location_key: 'SHELF',
      tag: { tag_type: 'rfid', value: 'E280', epc: null },
      reader: { name: 'Dock reader' },
      antenna: 1,
      scan_point: null,
    })
    expect(byPoint).toMatchObject({
      location: { id: dock.id },
      decided_by: 'scan_point',
      location_key: null,
      scan_point: { name: 'in', location: { id: dock.id, external_key: 'DOCK', name: 'Dock' } },
    })
  })

  test('what changed since is shown: a key, an assignment, a detached tag, a removed reader', async ({
    tracking,
  }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ ...DOCK_READ!, location: 'SHELF' }]), message(1, [SHELF_READ!])])
    const [reader] = (await tracking.call('GET', '/readers')).json().data
    const points = `/readers/${reader.id}/scan-points`
    const [point] = (await tracking.call('GET', points)).json().data
    await tracking.call('PATCH', `${points}/${point.id}`, { body: { location_id: shelf.id } })
    const [tag] = tracking.catalog.tags
    Object.assign(tag!, { revision: 9_000, asset_id: null, deleted_at: '2026-11-21T00:00:00.000Z' })
    tracking.catalog.change(shelf, { external_key: 'SHELF-B' })
    await tracking.project()
    expect((await list(tracking, asset.id)).data).toMatchObject([
      { location: { id: dock.id }, tag: { value: 'E280' }, scan_point: { location: { id: shelf.id } } },
      { location: { external_key: 'SHELF-B' }, location_key: 'SHELF', tag: { value: 'E280' } },
    ])
    tracking.catalog.change(shelf, { deleted_at: '2026-11-21T00:00:00.000Z' })
    await tracking.project()
    const gone = { id: shelf.id, external_key: null, name: null }
    expect((await list(tracking, asset.id)).data[0].scan_point.location).toEqual(gone)
    await tracking.call('DELETE', `/readers/${reader.id}`)
    expect((await list(tracking, asset.id)).data[0]).toMatchObject({
      decided_by: 'scan_point',
      scan_point: null,
      reader: { reader_key: 'dock-1', id: null },
    })
  })

  test('a save over a read does not mention the read', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    await ingest(tracking, [message(1, [DOCK_READ!])])
    tracking.clock.stoppedAt = DOCK_READ!.at + 1_000
    const body = { asset_identifiers: [asset.external_key], location_identifier: 'SHELF' }
    await tracking.call('POST', '/inventory/save', { body })
    expect((await list(tracking, asset.id)).data).toMatchObject([
      { decided_by: 'save', location_key: null, tag: null, reader: null, antenna: null, scan_point: null },
    ])
    expect(await tracking.db.selectFrom('scan').selectAll().execute()).toMatchObject([
      { tag_id: null, location_key: null, scan_point_id: null, empty_scan_point_id: null },
    ])
  })

  test('a row that a replica of the earlier release changed does not say what decided it', async ({
    tracking,
  }) => {
    const { asset, dock, shelf } = await warehouse(tracking)
    await ingest(tracking, [message(1, [{ ...DOCK_READ!, antenna: 3 }])])
    expect((await list(tracking, asset.id)).data).toMatchObject([
      { location: null, decided_by: 'scan_point', scan_point: { name: 'none', location: null } },
    ])
    const change = tracking.db.updateTable('scan').where('asset_id', '=', asset.id)
    await change.set({ location_id: dock.id, reader_key: 'dock-1', antenna: 1 }).execute()
    const read = { decided_by: null, location_key: null, tag: null, scan_point: null, antenna: 1 }
    expect((await list(tracking, asset.id)).data).toMatchObject([{ location: { id: dock.id }, ...read }])
    await change.set({ location_id: shelf.id, reader_key: null, antenna: null }).execute()
    expect((await list(tracking, asset.id)).data).toMatchObject([
      { decided_by: 'save', tag: null, scan_point: null, location: { id: shelf.id } },
    ])
  })
})

describe('GET /assets/{asset_id}/sightings', () => {
  test('lists the newest first with reader, antenna and scan point', async ({ tracking }) => {
    const { a, b, dock, shelf, readerId, pointId } = await configured(tracking)
    const [atDock, atShelf] = [dock, shelf].map(({ id, external_key, name }) => ({ id, external_key, name }))
    const read = { reader: { reader_key: 'r', id: readerId, name: 'Reader' }, antenna: 1 }
    const noted = { outvoted: [], carried_from: null }
    const unrecorded = {
      ...read,
      ...noted,
      decided_by: null,
      location_key: null,
      tag: null,
      scan_point: null,
    }
    const point = { id: pointId, name: 'Gate', location: atDock }
    const decided = { ...read, ...noted, decided_by: 'scan_point', location_key: null, scan_point: point }
    const { id: tagId, tag_type, value } = tracking.catalog.tag(a, 'E280')
    const tag = { id: tagId, tag_type, value, epc: null }
    await tracking.project()
    await store(tracking.db, tracking.view, [{ ...seen(a.id, dock.id, 5), tagId, scanPointId: pointId }])
    expect(await list(tracking, a.id)).toEqual({
      data: [
        { observed_at: iso(5), location: atDock, ...decided, tag, duration_seconds: 300 },
        { observed_at: iso(10), location: atShelf, ...unrecorded, duration_seconds: 600 },
        { observed_at: iso(20), location: atDock, ...unrecorded, duration_seconds: 600 },
        { observed_at: iso(30), location: atDock, ...unrecorded, duration_seconds: null },
      ],
      limit: 50,
      offset: 0,
      total_count: 4,
      waiting: null,
    })
    expect((await list(tracking, b.id)).data).toMatchObject([{ location: null, ...unrecorded }])
  })

  test('from and to select rows', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const found = await list(tracking, a.id, `?from=${iso(20)}&to=${iso(15)}`)
    expect(found).toMatchObject({ data: [{ observed_at: iso(20), duration_seconds: 600 }], total_count: 1 })
  })

  test('a save has no reader; an unconfigured reader or antenna has no name', async ({ tracking }) => {
    const { a, dock, readerId } = await configured(tracking)
    await store(tracking.db, tracking.view, [
      { ...seen(a.id, dock.id, 4), antenna: 2 },
      { ...seen(a.id, dock.id, 3), readerKey: 'unconfigured' },
    ])
    tracking.clock.stoppedAt = NOW
    const body = { asset_identifiers: ['ALPHA'], location_identifier: 'SHELF' }
    expect((await tracking.call('POST', '/inventory/save', { body })).statusCode).toBe(201)
    expect((await list(tracking, a.id, '?limit=3')).data).toMatchObject([
      { location: { name: 'Shelf' }, reader: null, antenna: null, scan_point: null },
      { reader: { reader_key: 'unconfigured', id: null, name: null }, antenna: 1, scan_point: null },
      { reader: { reader_key: 'r', id: readerId, name: 'Reader' }, antenna: 2, scan_point: null },
    ])
  })

  test("another organization's reader of the same key decides nothing here", async ({ tracking }) => {
    const { theirs } = await configured(tracking)
    expect((await list(tracking, theirs.id, '', 2)).data).toMatchObject([
      { reader: { reader_key: 'r', id: null, name: null }, antenna: 1, scan_point: null },
    ])
  })

  test('D8.3 a deleted location keeps its id and has no key or name', async ({ tracking }) => {
    const { a, shelf } = await scene(tracking)
    tracking.catalog.change(shelf, { deleted_at: '2026-11-20T00:00:00.000Z' })
    await tracking.project()
    expect((await list(tracking, a.id, '?limit=1')).data).toMatchObject([
      { location: { id: shelf.id, external_key: null, name: null }, duration_seconds: 600 },
    ])
  })

  test('pages have every row once; past the end, a page is empty with the true total', async ({
    tracking,
  }) => {
    const { a } = await scene(tracking)
    const all = await list(tracking, a.id)
    const pages = []
    for (const offset of [0, 1, 2]) pages.push(await list(tracking, a.id, `?limit=1&offset=${offset}`))
    expect(pages.flatMap((page) => page.data)).toEqual(all.data)
    expect(pages.map((page) => page.total_count)).toEqual([3, 3, 3])
    expect(await list(tracking, a.id, '?offset=3')).toEqual({
      data: [],
      limit: 50,
      offset: 3,
      total_count: 3,
      waiting: null,
    })
  })

  test("an asset that is deleted or another organization's is 404, one created a moment ago is empty", async ({
    tracking,
  }) => {
    const { a, theirs } = await scene(tracking)
    const statusOf = async (id: number) => (await tracking.call('GET', `/assets/${id}/sightings`)).statusCode
    expect(await statusOf(theirs.id)).toBe(404)
    expect((await list(tracking, tracking.catalog.asset(1, 'Fresh').id)).total_count).toBe(0)
    tracking.catalog.change(a, { deleted_at: '2026-11-21T00:00:00.000Z' })
    expect(await statusOf(a.id)).toBe(404)
  })
})
