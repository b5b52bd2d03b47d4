import type { exportRowRoutes } from '@whereabouts/contracts/messages/export-rows'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { RowsHandlers } from '@whereabouts/service-kit/http/serve'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { toAssetView } from '../../assets/assets.views.ts'
import type { Tables } from '../../db.ts'
import { toLocationView } from '../../locations/locations.views.ts'
import { allAssets, allLocations } from './all-rows.queries.ts'

type Rows = RowsHandlers<typeof exportRowRoutes, 'catalog'>

/** The part of catalog in the export of an organization (ADR 129). */
export const allRowsHandlers = ({ db }: { db: Pick<TenantDatabase<Tables>, 'forOrg'> }): Rows => ({
  exportAssetRows: async ({ principal: { orgId } }) =>
    lines(allAssets(db.forOrg(orgId), orgId), (row) => toAssetView(row, row.tags)),

  exportLocationRows: async ({ principal: { orgId } }) =>
    lines(allLocations(db.forOrg(orgId), orgId), (row) => toLocationView(row, row.tags)),
})

/** In slices, because each row may have a large text. */
async function* lines<Row>(
  pages: AsyncIterable<Row[]>,
  viewOf: (row: Row) => object,
): AsyncGenerator<string> {
  for await (const page of pages)
    yield (await mapInSlices(page, (row) => `${JSON.stringify(viewOf(row))}\n`)).join('')
}
