import type { exportRowRoutes } from '@whereabouts/contracts/messages/export-rows'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { RowsHandlers } from '@whereabouts/service-kit/http/serve'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Tables } from '../../db.ts'
import { batchesOf, columnsOf, countFiles, type Source } from './datasets.ts'
import { jsonLines } from './formats/lines.ts'

export type AllHistoryDeps = {
  db: Pick<TenantDatabase<Tables>, 'forOrg'>
  view: CatalogView
  retentionMs: number
  now?: () => number
}

type Rows = RowsHandlers<typeof exportRowRoutes, 'tracking'>

/** The part of tracking in the export of an organization (ADR 129): the rows of an export of the history, day after day. */
export const allHistoryHandlers = ({ db, view, retentionMs, now = Date.now }: AllHistoryDeps): Rows => ({
  exportHistoryRows: async ({ principal: { orgId } }) =>
    allDays({ db: db.forOrg(orgId), view, orgId }, { fromMs: now() - retentionMs, toMs: now() }),
})

async function* allDays(source: Source, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const range = {
    dataset: 'history',
    from_at: new Date(fromMs).toISOString(),
    to_at: new Date(toMs).toISOString(),
  } as const
  for (let day = 0; day < countFiles(range); day += 1)
    yield* jsonLines(columnsOf.history, batchesOf(source, range, day))
}
