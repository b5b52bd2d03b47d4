import { event } from '../../changes/messages/changes.ts'
import { enqueueChanges } from '../../changes/messages/enqueue-changes.ts'
import type { Tx } from '../../db.ts'
import { storeEnd, type ImportRow } from './imports.queries.ts'
import { toImportView } from './imports.views.ts'

/**
 * Ends an import and says so (D13.1), whether it is done, was cancelled or failed. A dry run changes nothing, so it has no
 * event. Call under `lockImport`, so that no batch is running.
 */
export async function endImport(
  tx: Tx,
  ended: Pick<ImportRow, 'org_id' | 'id' | 'dry_run' | 'file_id'>,
  state: 'done' | 'cancelled' | 'failed',
): Promise<void> {
  const row = await storeEnd(tx, ended, state)
  if (!row || row.dry_run) return
  const data = { import: toImportView(row) }
  await enqueueChanges(tx, event('import.finished', row.org_id, row.finished_at ?? row.created_at, data))
}
