import { fc, limits } from '@whereabouts/testing/fuzz'
import { test } from '../tracking.fixture.ts'
import { readAssetLocations } from '../../src/where/reports/asset-locations/asset-locations.queries.ts'
import { readAssetLocationsAt } from '../../src/where/reports/asset-locations/at-instant.queries.ts'
import { anyFilter, expectedRows, expectPages, fillReport, NOW } from './model.fixture.ts'

/** The row count decides how a page is read, so a small bound replaces many rows. */
const bounds = fc.constantFrom(0, 5_000)

test('D8.2 for any request, all pages together have each matching row once and in order', async ({
  tracking,
}) => {
  const reads = await fillReport(tracking)
  const { catalog, tenants: db } = tracking
  await fc.assert(
    fc.asyncProperty(anyFilter(tracking), bounds, (filter, bound) =>
      expectPages(expectedRows(catalog, reads, filter), filter, (page) =>
        readAssetLocations(db.forOrg(1), 1, page, bound),
      ),
    ),
    limits(120),
  )
})

test('for any request, at= lists the rows of that instant', async ({ tracking }) => {
  const reads = await fillReport(tracking)
  const { catalog, tenants: db } = tracking
  const moments = fc
    .oneof(
      fc.integer({ min: -110, max: 1 }).map((n) => n * 60_000),
      fc.integer({ min: -6_600_000, max: 60_000 }),
    ) // oxfmt-ignore
    .map((ms) => new Date(NOW + ms).toISOString())
  await fc.assert(
    fc.asyncProperty(anyFilter(tracking), moments, (filter, at) =>
      expectPages(expectedRows(catalog, reads, filter, at), filter, (page) =>
        readAssetLocationsAt(db.forOrg(1), 1, page, at),
      ),
    ),
    limits(80),
  )
})
