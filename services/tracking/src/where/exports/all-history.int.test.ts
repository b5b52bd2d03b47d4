import { describe, expect } from 'vitest'
import { fill, iso, midnight } from '../../../test/exports/exports.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { BATCH_ROWS } from './batch.ts'

type Row = {
  asset_id: number
  asset_external_key: string
  observed_at: string
  location_id: number
  location_external_key: string | null
}

async function historyOf(tracking: Tracking, orgId: number): Promise<Row[]> {
  const response = await tracking.call('GET', '/export-rows/history', { orgId })
  expect(response.statusCode, response.body).toBe(200)
  return response.body
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row)
}

const MINUTES = 1_100

describe('D15.3 the part of tracking in the export of an organization', () => {
  test('all history over several batches and days, each row once, also of a deleted asset', async ({
    tracking,
  }) => {
    const { catalog } = tracking
    const assets = Array.from({ length: 20 }, (_, n) => catalog.asset(1, `Asset ${n}`))
    const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
    const [theirs, theirDock] = [catalog.asset(2, 'Theirs'), catalog.location(2, 'Their dock')]
    const [gone] = assets
    if (gone) catalog.change(gone, { deleted_at: iso(Date.now()) })
    catalog.change(shelf, { deleted_at: iso(Date.now()) })
    await tracking.project()
    const ids = assets.map(({ id }) => id)
    const days = [5, 4, 2].map(midnight)
    for (const from of days) {
      await fill(tracking, { assets: ids, minutes: MINUTES, from, locations: [dock.id, shelf.id] })
      await fill(tracking, { orgId: 2, assets: [theirs.id], minutes: 3, from, locations: [theirDock.id] })
    }
    const rows = await historyOf(tracking, 1)
    expect(ids.length * MINUTES).toBeGreaterThan(2 * BATCH_ROWS)
    expect(rows).toHaveLength(3 * ids.length * MINUTES)
    expect(new Set(rows.map(({ asset_id, observed_at }) => `${asset_id} ${observed_at}`)).size).toBe(
      rows.length,
    )
    const order = rows.map(({ observed_at }) => observed_at.slice(0, 10))
    expect(order).toEqual(order.toSorted())
    for (const { id, external_key } of assets) {
      const own = rows.filter(({ asset_id }) => asset_id === id)
      expect(own).toHaveLength(3 * MINUTES)
      expect(new Set(own.map(({ asset_external_key: key }) => key))).toEqual(new Set([external_key]))
    }
    const named = new Set(rows.map(({ location_id, location_external_key: key }) => `${location_id} ${key}`))
    expect(named).toEqual(new Set([`${dock.id} DOCK`, `${shelf.id} null`]))
    const other = await historyOf(tracking, 2)
    expect(other.map(({ asset_id, observed_at }) => [asset_id, observed_at])).toEqual(
      days.flatMap((from) =>
        [0, 1, 2].map((n) => [theirs.id, iso(from + n * 60_000 + (theirs.id % 60) * 1_000)]),
      ),
    )
    expect(await historyOf(tracking, 3)).toEqual([])
  })
})
