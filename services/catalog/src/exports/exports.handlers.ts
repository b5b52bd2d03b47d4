import { importColumns, type ImportColumn, type ImportResource } from '@whereabouts/contracts/imports'
import type { TagView } from '@whereabouts/contracts/tags'
import { escapeFormula } from '@whereabouts/service-kit/csv'
import { Reply, type Handlers } from '@whereabouts/service-kit/serve'
import { stringify } from 'csv-stringify/sync'
import { Readable } from 'node:stream'
import type { Db } from '../db.ts'
import { joinValues } from '../imports/cells.ts'
import type { HandlerDeps } from '../transactions/transactions.ts'
import { limitTransfers, type Transfers } from '../transfers/transfers.ts'
import { findLocationsInOrder, listLocationIds, nextAssets } from './exports.queries.ts'

/** Rows of a page. The largest row has about 100 KiB. */
const PAGE = 200

type Value = string | boolean | Record<string, unknown> | null
type Exported = { tags: readonly TagView[] } & Partial<Record<ImportColumn, Value>>

/** A slow client may take a quarter of an hour. Each page that it reads takes a database connection for a moment. */
const EXPORTS = { noun: 'exports', concurrent: { user: 2, organization: 4 } } as const

type ExportDeps = Pick<HandlerDeps, 'db'> & { exports?: Transfers }

export const exportHandlers = ({ db, exports = limitTransfers(EXPORTS) }: ExportDeps) =>
  ({
    async exportAssets({ principal: { orgId, userId } }) {
      const done = exports.begin(orgId, userId)
      return file('assets', assetPages(db.forOrg(orgId), orgId), done)
    },

    async exportLocations({ principal: { orgId, userId } }) {
      const done = exports.begin(orgId, userId)
      return file('locations', locationPages(db.forOrg(orgId), orgId), done)
    },
  }) satisfies Partial<Handlers<'catalog'>>

/** Calls `done` when the file was sent or the client has left, also if nothing was sent. */
function file(
  resource: ImportResource,
  pages: AsyncIterable<readonly Exported[]>,
  done: () => void,
): Reply<Readable> {
  const content = Readable.from(csv(resource, pages), { objectMode: false })
  content.once('close', done)
  return new Reply(content, { 'content-disposition': `attachment; filename="${resource}.csv"` })
}

async function* csv(
  resource: ImportResource,
  pages: AsyncIterable<readonly Exported[]>,
): AsyncGenerator<string> {
  const columns = importColumns[resource]
  let head: readonly (readonly string[])[] = [columns]
  for await (const page of pages) {
    yield textOf([...head, ...page.map((row) => columns.map((column) => escapeFormula(cell(column, row))))])
    head = []
  }
  if (head.length > 0) yield textOf(head)
}

/**
 * RFC 4180 ends lines with CR LF. Cells with CR or LF are quoted, because most programs accept either as a line end.
 */
const textOf = (rows: readonly (readonly string[])[]) =>
  stringify(rows as string[][], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ })

function cell(column: ImportColumn, row: Exported): string {
  if (column === 'rfid' || column === 'ble' || column === 'barcode')
    return joinValues(row.tags.filter(({ tag_type }) => tag_type === column).map(({ value }) => value))
  const value = row[column] ?? ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function* assetPages(db: Db, orgId: number): AsyncGenerator<Exported[]> {
  let page = await nextAssets(db, orgId, 0, PAGE)
  while (page.length > 0) {
    yield page
    page = page.length < PAGE ? [] : await nextAssets(db, orgId, page.at(-1)?.id ?? 0, PAGE)
  }
}

async function* locationPages(db: Db, orgId: number): AsyncGenerator<Exported[]> {
  const ids = await listLocationIds(db, orgId)
  for (let at = 0; at < ids.length; at += PAGE)
    yield await findLocationsInOrder(db, orgId, [...ids.subarray(at, at + PAGE)])
}
