import { describe, expect } from 'vitest'
import { store } from '../../test/store.ts'
import { iso, NOW, scene, seen } from '../../test/reports/scene.fixture.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'

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

describe('GET /assets/{asset_id}/sightings', () => {
  test('lists the newest first with reader, antenna and scan point', async ({ tracking }) => {
    const { a, b, dock, shelf, readerId, pointId } = await configured(tracking)
    const decided = {
      reader: { reader_key: 'r', id: readerId, name: 'Reader' },
      antenna: 1,
      scan_point: { id: pointId, name: 'Gate' },
    }
    const [atDock, atShelf] = [dock, shelf].map(({ id, external_key, name }) => ({ id, external_key, name }))
    expect(await list(tracking, a.id)).toEqual({
      data: [
        { observed_at: iso(10), location: atShelf, ...decided, duration_seconds: 600 },
        { observed_at: iso(20), location: atDock, ...decided, duration_seconds: 600 },
        { observed_at: iso(30), location: atDock, ...decided, duration_seconds: null },
      ],
      limit: 50,
      offset: 0,
      total_count: 3,
    })
    expect((await list(tracking, b.id)).data).toMatchObject([{ location: null, ...decided }])
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
