import {
  readOnlyColumns,
  type FileColumn,
  type ImportView,
} from '@whereabouts/contracts/resources/catalog/imports'
import type { ImportRow } from './imports.queries.ts'

/** Lists each field, so that a new column does not leak into the API. */
export const toImportView = (row: ImportRow): ImportView => ({
  id: row.id,
  resource: row.resource,
  dry_run: row.dry_run,
  state: row.state,
  rows_total: row.rows_total,
  rows_done: row.created + row.updated + row.unchanged + row.failed,
  created: row.created,
  updated: row.updated,
  unchanged: row.unchanged,
  failed: row.failed,
  applied_from: row.applied_from,
  ignored_columns: row.columns.filter((column) => isReadOnly(row, column)),
  created_by: row.created_by,
  created_at: row.created_at,
  started_at: row.started_at,
  finished_at: row.finished_at,
})

const isReadOnly = ({ resource }: Pick<ImportRow, 'resource'>, column: FileColumn): boolean =>
  readOnlyColumns[resource].some((name) => name === column)
