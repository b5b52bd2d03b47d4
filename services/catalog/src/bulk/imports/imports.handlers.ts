import { limits } from '@whereabouts/contracts/limits'
import { rowOutcomes } from '@whereabouts/contracts/resources/catalog/imports'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { importNotFound, notAFinishedDryRun } from '../../errors.ts'
import { pageOf } from '../../lists/conditions.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { limitTransfers, type Transfers } from '../../transfers.ts'
import { endImport } from './end-import.ts'
import {
  admitImport,
  auditImport,
  findApplied,
  findImport,
  insertApplied,
  listImports,
  lockImport,
  removeImport,
  type ImportRow,
} from './imports.queries.ts'
import { toImportView } from './imports.views.ts'
import { countOutcomes, listOutcomes } from './lines.queries.ts'
import { receiveImport } from './upload.ts'

export type ImportDeps = HandlerDeps & {
  /** Called when an import waits. */
  wakeImports: () => void
  /** Called when there may be something to delete. */
  wakePurge: () => void
  uploads?: Transfers
}

const created = (row: ImportRow) =>
  new Reply({ data: toImportView(row) }, { location: `${API_PREFIX}/imports/${row.id}` })

/**
 * As many uploads as unfinished imports, because each upload becomes one. The rate is limited because many small
 * files are many transactions, and no client needs one import a second.
 */
const UPLOADS = {
  noun: 'uploads',
  concurrent: limits.unfinishedImports,
  perMinute: { user: 60, organization: 120 },
} as const

export const importHandlers = ({
  db,
  runInTransaction,
  wakeImports,
  wakePurge,
  uploads = limitTransfers(UPLOADS),
}: ImportDeps) =>
  ({
    async createImport({ principal: { orgId, userId = null }, query, upload: bytes }) {
      const { resource, dry_run: dryRun = false, empty_cells: emptyCells = 'clear' } = query
      const assignments = query.column ?? []
      const file = { orgId, resource, dryRun, emptyCells, assignments, createdBy: userId, bytes }
      const done = uploads.begin(orgId, userId ?? undefined)
      const row = await receiveImport(runInTransaction, file)
        .catch((error: unknown) => {
          wakePurge()
          throw error
        })
        .finally(done)
      wakeImports()
      return created(row)
    },

    async listImports({ principal: { orgId }, query }) {
      const { rows, total } = await listImports(db.forOrg(orgId), orgId, query)
      return { data: rows.map(toImportView), ...pageOf(query), total_count: total }
    },

    async getImport({ principal: { orgId }, params: { import_id } }) {
      const row = await findImport(db.forOrg(orgId), orgId, import_id)
      if (!row) throw importNotFound()
      return { data: toImportView(row) }
    },

    async listImportRows({ principal: { orgId }, params: { import_id }, query }) {
      const row = await findImport(db.forOrg(orgId), orgId, import_id)
      if (!row) throw importNotFound()
      const own = db.forOrg(orgId)
      const counted = new Set(query.outcome ?? rowOutcomes)
      const total_count =
        query.warned === undefined
          ? [...counted].reduce((total, outcome) => total + row[outcome], 0)
          : await countOutcomes(own, orgId, import_id, query)
      const data = await listOutcomes(own, orgId, import_id, query, pageOf(query))
      return { data, ...pageOf(query), total_count }
    },

    async applyImport({ principal: { orgId, userId = null }, params: { import_id } }) {
      const row = await runInTransaction(orgId, async (tx) => {
        const dryRun = await lockImport(tx, orgId, import_id)
        if (!dryRun) throw importNotFound()
        if (!dryRun.dry_run || dryRun.state !== 'done') throw notAFinishedDryRun(import_id)
        const applied = await findApplied(tx, orgId, import_id)
        if (applied) return applied
        await admitImport(tx, orgId, userId)
        const started = await insertApplied(tx, dryRun, userId)
        await auditImport(tx, 'create', started)
        return started
      })
      wakeImports()
      return created(row)
    },

    async deleteImport({ principal: { orgId }, params: { import_id } }) {
      await runInTransaction(orgId, async (tx) => {
        const row = await lockImport(tx, orgId, import_id)
        if (!row) throw importNotFound()
        if (row.finished_at === null) await endImport(tx, row, 'cancelled')
        else await removeImport(tx, orgId, import_id)
        await auditImport(tx, 'delete', row)
      })
      wakePurge()
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>
