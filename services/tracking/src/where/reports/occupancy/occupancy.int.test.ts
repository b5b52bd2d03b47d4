import { describe, expect } from 'vitest'
import { store } from '../../../../test/store.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { seen } from '../../../../test/reports/scene.fixture.ts'

/**
 * A hall with an aisle with a shelf, and a dock; one asset each, two on the shelf, one without a location, one never
 * scanned.
 */
async function warehouse(tracking: Tracking) {
  const { catalog } = tracking
  const hall = catalog.location(1, 'Hall')
  const aisle = catalog.location(1, 'Aisle', { parent_id: hall.id })
  const shelf = catalog.location(1, 'Shelf', { parent_id: aisle.id })
  const dock = catalog.location(1, 'Dock')
  const theirs = catalog.location(2, 'Theirs', { parent_id: hall.id }) // as if by mistake
  const places = [hall.id, aisle.id, shelf.id, shelf.id, dock.id, null]
  const assets = places.map((_, i) => catalog.asset(1, `Asset ${i}`))
  catalog.asset(1, 'Never')
  const foreign = catalog.asset(2, 'Foreign')
  await tracking.project()
  await store(tracking.db, tracking.view, [
    ...places.map((place, i) => seen(assets[i]!.id, place, i)),
    seen(foreign.id, theirs.id, 1, 2),
  ])
  return { hall, aisle, shelf, dock, theirs, assets }
}

const ask = async (tracking: Tracking, ids: readonly number[], orgId = 1) => {
  const query = ids.map((id) => `location_id=${id}`).join('&')
  return (await tracking.call('GET', `/reports/occupancy?${query}`, { orgId })).json()
}
const row = (location: { id: number }, here: number, inside: number) => ({
  location_id: location.id,
  here,
  inside,
})

describe('GET /reports/occupancy', () => {
  test('counts assets at each location and in its sub-locations, in the requested order', async ({
    tracking,
  }) => {
    const { hall, aisle, shelf, dock } = await warehouse(tracking)
    expect(await ask(tracking, [shelf.id, hall.id, dock.id, aisle.id, hall.id])).toEqual({
      data: [row(shelf, 2, 2), row(hall, 1, 4), row(dock, 1, 1), row(aisle, 1, 3)],
      total: 6,
      nowhere: 1,
    })
  })

  test('agrees with the report', async ({ tracking }) => {
    const { hall, aisle, shelf, dock } = await warehouse(tracking)
    const { data } = await ask(tracking, [hall.id, aisle.id, shelf.id, dock.id])
    for (const { location_id, here, inside } of data)
      for (const [include, count] of [[false, here], [true, inside]]) {
        const query = `location_id=${location_id}&include_descendants=${include}`
        const report = await tracking.call('GET', `/reports/asset-locations?${query}`)
        expect(report.json().total_count).toBe(count)
      } // oxfmt-ignore
  })

  test("counts no deleted asset, none whose time is over, and nothing of another organization's", async ({
    tracking,
  }) => {
    const { hall, shelf, theirs, assets } = await warehouse(tracking)
    tracking.catalog.change(assets[0]!, { deleted_at: '2026-11-20T00:00:00.000Z' })
    tracking.catalog.change(assets[2]!, { valid_to: '2020-02-01T00:00:00.000Z' })
    await tracking.project()
    expect(await ask(tracking, [hall.id, theirs.id, shelf.id])).toEqual({
      data: [row(hall, 0, 2), row(shelf, 1, 1)],
      total: 4,
      nowhere: 1,
    })
    expect(await ask(tracking, [hall.id, theirs.id], 2)).toEqual({
      data: [row(theirs, 1, 1)],
      total: 1,
      nowhere: 0,
    })
  })

  test('leaves out unknown ids; assets at a deleted location do not count for the locations above it', async ({
    tracking,
  }) => {
    const { hall, aisle, shelf } = await warehouse(tracking)
    tracking.catalog.change(shelf, { deleted_at: '2026-11-20T00:00:00.000Z' })
    await tracking.project()
    const { data, total } = await ask(tracking, [4_503_599_627_370_497, hall.id, aisle.id, shelf.id])
    expect(data).toEqual([row(hall, 1, 2), row(aisle, 1, 1), row(shelf, 2, 2)])
    expect(total).toBe(6)
    expect((await ask(tracking, [4_503_599_627_370_497])).data).toEqual([])
  })

  test('needs one id, and takes 200', async ({ tracking }) => {
    const refused = async (query: string) =>
      (await tracking.call('GET', `/reports/occupancy${query}`)).json().error.fields
    expect(await refused('')).toEqual([
      { field: 'location_id', code: 'required', message: 'location_id is required' },
    ])
    expect(await refused('?location_id=x')).toMatchObject([{ field: 'location_id', code: 'invalid_value' }])
    const ids = Array.from({ length: 201 }, (_, i) => `location_id=${i + 1}`)
    expect(await refused(`?${ids.join('&')}`)).toMatchObject([{ field: 'location_id', code: 'too_long' }])
    const most = await tracking.call('GET', `/reports/occupancy?${ids.slice(1).join('&')}`)
    expect(most.json()).toEqual({ data: [], total: 0, nowhere: 0 })
  })
})
