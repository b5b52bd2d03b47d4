import {
  failedRowColumns,
  type FileColumn,
  type RowError,
} from '@whereabouts/contracts/resources/catalog/imports'
import { CSV_START, escapeFormula, unescapeFormula } from '@whereabouts/service-kit/http/csv'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { Readable } from 'node:stream'
import type { Db } from '../../db.ts'
import { importNotFound } from '../../errors.ts'
import { findImport, type ImportRow } from '../imports/imports.queries.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { limitTransfers, type Transfers } from '../../transfers.ts'
import { csvText } from './csv-text.ts'
import { EXPORTS } from './exports.handlers.ts'
import { nextFailedRows, type FailedRow } from './failed-rows.queries.ts'

type Deps = Pick<HandlerDeps, 'db'> & { exports?: Transfers }

export const failedRowHandlers = ({ db, exports = limitTransfers(EXPORTS) }: Deps) =>
  ({
    async exportFailedImportRows({ principal: { orgId, userId }, params: { import_id } }) {
      const own = db.forOrg(orgId)
      const row = await findImport(own, orgId, import_id)
      if (!row) throw importNotFound()
      const done = exports.begin(orgId, userId)
      const content = Readable.from(failedRows(own, row), { objectMode: false })
      content.once('close', done)
      return new Reply(content, {
        'content-disposition': `attachment; filename="${row.resource}-failed-rows.csv"`,
      })
    },
  }) satisfies Partial<Handlers<'catalog'>>

/**
 * The failed rows in the columns of their file, and why each failed. A file that was downloaded here and uploaded again
 * has these columns already.
 */
async function* failedRows(db: Db, row: ImportRow): AsyncGenerator<string> {
  const columns = row.columns.filter((column) => !failedRowColumns.some((name) => name === column))
  yield CSV_START + csvText([[...columns, ...failedRowColumns]])
  let rows = await nextFailedRows(db, row, 0)
  while (rows.length > 0) {
    yield csvText(
      rows.map((failed) => [
        // The upload need not have escaped its formulas.
        ...columns.map((column) => escapeFormula(unescapeFormula(cellOf(row, failed, column)))),
        String(failed.line),
        escapeFormula(failed.errors.map(worded).join('; ')),
      ]),
    )
    rows = await nextFailedRows(db, row, rows.at(-1)?.line ?? 0)
  }
}

function cellOf({ columns }: ImportRow, { cells, external_key }: FailedRow, column: FileColumn): string {
  if (cells) return cells[columns.indexOf(column)] ?? ''
  return column === 'external_key' ? (external_key ?? '') : ''
}

const worded = ({ field, message }: RowError) => `${field}: ${message}`
