import type { AssetState, LocationState, TagState } from '@whereabouts/contracts/messages/catalog-state'
import { describe, expect } from 'vitest'
import { iso, scene, seen } from '../../test/reports/scene.fixture.ts'
import { store } from '../../test/store.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { findCurrentLocations } from '../where/reports/current-locations/current-locations.responder.ts'

const GONE = '2026-11-20T00:00:00.000Z'

/** Deletes and restores, as catalog does: each is a state with a higher revision. */
async function change(
  tracking: Tracking,
  things: readonly (AssetState | LocationState | TagState)[],
  deleted_at: string | null,
): Promise<void> {
  for (const thing of things) Object.assign(thing, { deleted_at, revision: thing.revision + 1_000 })
  await tracking.project()
}

const report = async (tracking: Tracking, query = '') =>
  (await tracking.call('GET', `/reports/asset-locations?${query}`)).json()
const history = (tracking: Tracking, id: number) => tracking.call('GET', `/assets/${id}/history`)

describe('a restored asset', () => {
  test('is in report, history, search and counts again, where it was', async ({ tracking }) => {
    const { a, dock, shelf } = await scene(tracking)
    const tag = tracking.catalog.tag(a, 'E280')
    await tracking.project()
    const before = {
      report: await report(tracking),
      found: await report(tracking, 'q=E28'),
      history: (await history(tracking, a.id)).json(),
      there: (await tracking.call('GET', `/reports/occupancy?location_id=${shelf.id}`)).json(),
    }
    expect(before.report.total_count).toBe(2)

    await change(tracking, [a, tag], GONE)
    expect((await report(tracking)).total_count).toBe(1)
    expect((await history(tracking, a.id)).statusCode).toBe(404)
    expect(tracking.view.matchTag(1, 'rfid', 'E280')).toBeUndefined()

    await change(tracking, [a, tag], null)
    expect({
      report: await report(tracking),
      found: await report(tracking, 'q=E28'),
      history: (await history(tracking, a.id)).json(),
      there: (await tracking.call('GET', `/reports/occupancy?location_id=${shelf.id}`)).json(),
    }).toEqual(before)
    expect(tracking.view.matchTag(1, 'rfid', 'E280')).toMatchObject({ id: a.id })
    await store(tracking.db, tracking.view, [seen(a.id, dock.id, 0)])
    const rows = (await report(tracking, `location_id=${dock.id}`)).data
    expect(rows).toMatchObject([{ asset_id: a.id, asset_last_seen: iso(0) }])
  })

  test('stays deleted if the states arrive in the wrong order, until the last one', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const live = { ...a, revision: a.revision + 2 }
    const deleted = { ...a, revision: a.revision + 1, deleted_at: GONE }
    tracking.catalog.assets = [live]
    await tracking.project()
    tracking.catalog.assets = [deleted]
    await tracking.project()
    expect((await report(tracking, `asset_id=${a.id}`)).total_count).toBe(1)
    expect(tracking.view.asset(1, a.id)?.deleted).toBe(false)
  })

  test('under another key is found by the new key alone', async ({ tracking }) => {
    const { a } = await scene(tracking)
    await change(tracking, [a], GONE)
    Object.assign(a, { external_key: 'ALPHA-2' })
    await change(tracking, [a], null)
    expect((await report(tracking, 'asset_external_key=ALPHA-2')).total_count).toBe(1)
    expect((await report(tracking, 'asset_external_key=ALPHA')).total_count).toBe(0)
  })
})

describe('a restored location', () => {
  test('has its key and its assets again, and its place in the tree', async ({ tracking }) => {
    const { a, dock, shelf } = await scene(tracking)
    tracking.catalog.change(shelf, { parent_id: dock.id })
    await tracking.project()
    const inside = `location_id=${dock.id}&include_descendants=true`
    const before = await report(tracking, inside)
    expect(before.data).toMatchObject([{ asset_id: a.id, location_external_key: 'SHELF' }])

    await change(tracking, [shelf], GONE)
    expect((await report(tracking, inside)).total_count).toBe(0)
    expect((await report(tracking, `asset_id=${a.id}`)).data).toMatchObject([
      { location_id: shelf.id, location_external_key: null },
    ])
    expect(tracking.view.locationByKey(1, 'SHELF')).toBeUndefined()

    await change(tracking, [shelf], null)
    expect(await report(tracking, inside)).toEqual(before)
    expect(tracking.view.locationByKey(1, 'SHELF')?.id).toBe(shelf.id)
    expect((await history(tracking, a.id)).json().data[0]).toMatchObject({ location_external_key: 'SHELF' })
  })
})

test('current locations name when each asset was seen, if the request asks for it', async ({ tracking }) => {
  const { a, b, never, theirs, shelf } = await scene(tracking)
  const request = { org_id: 1, asset_ids: [a, b, never, theirs].map(({ id }) => id) }
  const locations = [{ asset_id: a.id, location_id: shelf.id, location_external_key: 'SHELF' }]
  expect(await findCurrentLocations(tracking.tenants, request)).toEqual({ locations })
  const reply = await findCurrentLocations(tracking.tenants, { ...request, with_last_seen: true })
  expect(reply.locations).toEqual(locations)
  const seenAt = new Map(reply.last_seen?.map(({ asset_id, at }) => [asset_id, new Date(at).toISOString()]))
  expect(seenAt).toEqual(new Map([[a.id, iso(10)], [b.id, iso(5)]])) // oxfmt-ignore
})
