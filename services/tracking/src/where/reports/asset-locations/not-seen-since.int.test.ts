import { expect } from 'vitest'
import { iso, scene, seen } from '../../../../test/reports/scene.fixture.ts'
import { store } from '../../../../test/store.ts'
import { test } from '../../../../test/tracking.fixture.ts'
import { readAssetLocations } from './asset-locations.queries.ts'
import type { ReportSort } from './filter.ts'

test.for<[field: ReportSort, sortAtMost: number]>([
  ['asset_last_seen', 0],
  ['asset_external_key', 0],
  ['asset_external_key', 5_000],
  ['location_external_key', 0],
])(
  'D12.5 not_seen_since in the order of %s, sorting up to %i rows',
  async ([field, sortAtMost], { tracking }) => {
    const { a, dock } = await scene(tracking)
    const recent = tracking.catalog.asset(1, 'Aardvark')
    await tracking.project()
    await store(tracking.db, tracking.view, [seen(recent.id, dock.id, 1)])
    const filter = {
      limit: 1,
      offset: 0,
      includeDeleted: false,
      sort: [{ field, descending: field === 'asset_last_seen' }],
    }
    const read = async (notSeenSince: string) => {
      const page = await readAssetLocations(
        tracking.tenants.forOrg(1),
        1,
        { ...filter, notSeenSince },
        sortAtMost,
      )
      return { ...page, rows: page.rows.map((row) => row.asset_id) }
    }
    expect(await read(iso(8))).toEqual({ rows: [a.id], total: 1 })
    expect(await read(iso(10))).toEqual({ rows: [], total: 0 })
  },
)
