import { fc, limits } from '@whereabouts/testing/fuzz'
import { test } from '../tracking.fixture.ts'
import { readPastReport } from './past.queries.ts'
import { anyAsk, expectedRows, expectPages, fillReport, NOW } from './report.fixture.ts'
import { readReport } from './report.queries.ts'

/** However a page is come by, which depends on how many rows there are: small bounds stand for many rows. */
const bounds = fc.record({
  gatherAtMost: fc.constantFrom(0, 5_000),
  walkAtMost: fc.constantFrom(0, 20, 5_000),
})

test('D8.2 whatever is asked, all pages together are the rows that match, once each and in order', async ({
  tracking,
}) => {
  const reads = await fillReport(tracking)
  const { catalog, tenants: db } = tracking
  await fc.assert(
    fc.asyncProperty(anyAsk(catalog), bounds, (ask, within) =>
      expectPages(expectedRows(catalog, reads, ask), ask, (page) =>
        readReport(db.forOrg(1), 1, page, within),
      ),
    ),
    limits(250),
  )
}, 60_000)

test('at a moment of the past it is what it was then, whatever is asked', async ({ tracking }) => {
  const reads = await fillReport(tracking)
  const { catalog, tenants: db } = tracking
  const moments = fc
    .oneof(
      fc.integer({ min: -110, max: 1 }).map((n) => n * 60_000),
      fc.integer({ min: -6_600_000, max: 60_000 }),
    ) // prettier-ignore
    .map((ms) => new Date(NOW + ms).toISOString())
  await fc.assert(
    fc.asyncProperty(anyAsk(catalog), moments, (ask, at) =>
      expectPages(expectedRows(catalog, reads, ask, at), ask, (page) =>
        readPastReport(db.forOrg(1), 1, page, at),
      ),
    ),
    limits(150),
  )
}, 60_000)
