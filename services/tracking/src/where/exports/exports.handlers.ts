import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { hasDays, type ExportCreate } from '@whereabouts/contracts/resources/tracking/exports'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { randomBytes } from 'node:crypto'
import type { Tables } from '../../db.ts'
import { beforeKeptHistory, exportNotFound } from '../../errors.ts'
import { countFiles, type Range } from './datasets.ts'
import {
  admitExport,
  findExport,
  insertExport,
  listExports,
  listFiles,
  removeExport,
} from './exports.queries.ts'
import { toExportDetail, toExportView } from './exports.views.ts'

export type ExportDeps = {
  db: TenantDatabase<Tables>
  retentionMs: number
  /** Called when an export waits. */
  wakeExports: () => void
  /** Called when there is something to delete. */
  wakeExportPurge: () => void
  now?: () => number
}

export const exportHandlers = ({
  db,
  retentionMs,
  wakeExports,
  wakeExportPurge,
  now = Date.now,
}: ExportDeps): Pick<
  Handlers<'tracking'>,
  'createExport' | 'listExports' | 'getExport' | 'deleteExport'
> => ({
  async createExport({ principal: { orgId }, body }) {
    const range = rangeOf(body, now(), retentionMs)
    const row = await db.transaction(orgId, async (tx) => {
      await admitExport(tx, orgId)
      const { format } = body
      const file_count = countFiles(range)
      const made = await insertExport(tx, {
        org_id: orgId,
        format,
        file_count,
        link_key: randomBytes(32),
        ...range,
      })
      const changes = changesOf(undefined, { format, ...range })
      await audit(tx, orgId, { action: 'export.create', subject: { type: 'export', id: made.id }, changes })
      return made
    })
    wakeExports()
    return new Reply({ data: toExportView(row) }, { location: `${API_PREFIX}/exports/${row.id}` })
  },

  async listExports({ principal: { orgId }, query: { limit, offset } }) {
    const { rows, total } = await listExports(db.forOrg(orgId), orgId, { limit, offset })
    return { data: rows.map(toExportView), limit, offset, total_count: total }
  },

  async getExport({ principal: { orgId }, params: { export_id } }) {
    const own = db.forOrg(orgId)
    // Its files after it: so an export that is done has all of them.
    const row = await findExport(own, orgId, export_id)
    if (!row) throw exportNotFound()
    return { data: toExportDetail(row, await listFiles(own, orgId, export_id)) }
  },

  async deleteExport({ principal: { orgId }, params: { export_id } }) {
    await db.transaction(orgId, async (tx) => {
      if (!(await removeExport(tx, orgId, export_id))) throw exportNotFound()
      await audit(tx, orgId, { action: 'export.delete', subject: { type: 'export', id: export_id } })
    })
    wakeExportPurge()
    return undefined
  },
})

/**
 * To the millisecond, as rows show their instants. Without `from` it begins with the first day that is kept; a `from` before
 * it is refused, because the file would seem complete.
 */
function rangeOf({ dataset, from, to }: ExportCreate, nowMs: number, retentionMs: number): Range {
  if (!hasDays(dataset)) return { dataset, from_at: null, to_at: null }
  const oldestMs = nowMs - retentionMs
  if (from !== undefined && epochMs(from) < oldestMs) throw beforeKeptHistory('from', oldestMs)
  const toMs = to === undefined ? nowMs : Math.min(epochMs(to), nowMs)
  const fromMs = from === undefined ? oldestMs : epochMs(from)
  return {
    dataset,
    from_at: new Date(Math.min(fromMs, toMs)).toISOString(),
    to_at: new Date(toMs).toISOString(),
  }
}
