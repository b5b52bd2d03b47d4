import { limits } from '@whereabouts/contracts/limits'
import {
  importColumns,
  readOnlyColumns,
  type FileColumn,
  type ImportResource,
} from '@whereabouts/contracts/resources/catalog/imports'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { CSV_START, escapeFormula } from '@whereabouts/service-kit/http/csv'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { Readable } from 'node:stream'
import type { Db } from '../../db.ts'
import { joinValues } from '../imports/file/cells.ts'
import type { Tracking } from '../../assets/tracking/tracking.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { limitTransfers, type Transfers } from '../../transfers.ts'
import { assetPages, PAGE } from './asset-pages.ts'
import { csvText } from './csv-text.ts'
import { findLocationsInOrder, listLocationIds } from './exports.queries.ts'

type Value = string | boolean | Record<string, unknown> | null
type Exported = { tags: readonly TagView[] } & Partial<Record<FileColumn, Value>>

/** A slow client may take a quarter of an hour. Each page that it reads takes a database connection for a moment. */
export const EXPORTS = { noun: 'exports', concurrent: limits.runningExports } as const

type ExportDeps = Pick<HandlerDeps, 'db'> & { tracking: Tracking; exports?: Transfers }

export const exportHandlers = ({ db, tracking, exports = limitTransfers(EXPORTS) }: ExportDeps) =>
  ({
    async exportAssets({ principal: { orgId, userId }, query }) {
      const { include_deleted: includeDeleted = false } = query
      const columns = readOnlyColumns.assets.filter((name) =>
        name === 'deleted_at' ? includeDeleted : !name.startsWith('import_'),
      )
      const pages = assetPages(db.forOrg(orgId), tracking, orgId, query)
      return file('assets', [...importColumns.assets, ...columns], pages, exports.begin(orgId, userId))
    },

    async exportLocations({ principal: { orgId, userId } }) {
      const pages = locationPages(db.forOrg(orgId), orgId)
      return file('locations', importColumns.locations, pages, exports.begin(orgId, userId))
    },
  }) satisfies Partial<Handlers<'catalog'>>

/**
 * Reads the first page before it replies, so that a failure there is a status and not a broken file. Calls `done` when
 * the file was sent or the client has left, also if nothing was sent.
 */
async function file(
  resource: ImportResource,
  columns: readonly FileColumn[],
  pages: AsyncGenerator<readonly Exported[]>,
  done: () => void,
): Promise<Reply<Readable>> {
  try {
    const first = await pages.next()
    const content = Readable.from(csv(columns, first, pages), { objectMode: false })
    content.once('close', done)
    return new Reply(content, { 'content-disposition': `attachment; filename="${resource}.csv"` })
  } catch (error) {
    done()
    throw error
  }
}

async function* csv(
  columns: readonly FileColumn[],
  first: IteratorResult<readonly Exported[]>,
  pages: AsyncGenerator<readonly Exported[]>,
): AsyncGenerator<string> {
  /** In slices, because each row may have a large text. */
  const textOf = async (page: readonly Exported[]) => {
    const lineOf = (row: Exported) => csvText([columns.map((column) => escapeFormula(cell(column, row)))])
    return (await mapInSlices(page, lineOf)).join('')
  }
  yield CSV_START + csvText([columns])
  if (first.done) return
  yield await textOf(first.value)
  for await (const page of pages) yield await textOf(page)
}

function cell(column: FileColumn, row: Exported): string {
  if (column === 'rfid' || column === 'ble' || column === 'barcode')
    return joinValues(row.tags.filter(({ tag_type }) => tag_type === column).map(({ value }) => value))
  const value = row[column] ?? ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function* locationPages(db: Db, orgId: number): AsyncGenerator<Exported[]> {
  const ids = await listLocationIds(db, orgId)
  for (let at = 0; at < ids.length; at += PAGE)
    yield await findLocationsInOrder(db, orgId, ids.slice(at, PAGE))
}
