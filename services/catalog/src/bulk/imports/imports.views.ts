import { pick } from '@whereabouts/contracts/rules/fields'
import {
  readOnlyColumns,
  type FileColumn,
  ImportView,
} from '@whereabouts/contracts/resources/catalog/imports'
import { rowsDone, type ImportRow } from './imports.queries.ts'

const names = ImportView.keyof().options

export const toImportView = (row: ImportRow): ImportView => {
  const rows_done = rowsDone(row)
  const ignored_columns = [...row.columns.filter((column) => isReadOnly(row, column)), ...row.unread_columns]
  return pick({ ...row, rows_done, ignored_columns }, names)
}

const isReadOnly = ({ resource }: Pick<ImportRow, 'resource'>, column: FileColumn): boolean =>
  readOnlyColumns[resource].some((name) => name === column)
