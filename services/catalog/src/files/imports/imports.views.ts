import { pick } from '@whereabouts/contracts/rules/fields'
import {
  readOnlyColumns,
  type FileColumn,
  ImportView,
} from '@whereabouts/contracts/resources/catalog/imports'
import type { ImportRow } from './imports.queries.ts'

const names = ImportView.keyof().options

export const toImportView = (row: ImportRow): ImportView => {
  const rows_done = row.created + row.updated + row.unchanged + row.failed
  return pick(
    { ...row, rows_done, ignored_columns: row.columns.filter((column) => isReadOnly(row, column)) },
    names,
  )
}

const isReadOnly = ({ resource }: Pick<ImportRow, 'resource'>, column: FileColumn): boolean =>
  readOnlyColumns[resource].some((name) => name === column)
