import { importColumns, type ImportColumn, type ImportResource } from '@whereabouts/contracts/imports'
import type { TagView } from '@whereabouts/contracts/tags'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import { stringify } from 'csv-stringify/sync'
import type { HandlerDeps } from '../change.ts'
import type { Db } from '../db.ts'
import { guarded, joined } from '../imports/cells.ts'
import { findLocationsInOrder, listLocationIds, nextAssets } from './exports.queries.ts'

/** Rows of a page. One with all that it may carry is some 100 KiB. */
const PAGE = 200

type Value = string | boolean | Record<string, unknown> | null
type Exported = { tags: readonly TagView[] } & Partial<Record<ImportColumn, Value>>

export const exportHandlers = ({ db }: Pick<HandlerDeps, 'db'>) =>
  ({
    async exportAssets({ principal: { orgId } }) {
      return file('assets', assetPages(db.forOrg(orgId), orgId))
    },

    async exportLocations({ principal: { orgId } }) {
      return file('locations', locationPages(db.forOrg(orgId), orgId))
    },
  }) satisfies Partial<Handlers<'catalog'>>

const file = (resource: ImportResource, pages: AsyncIterable<readonly Exported[]>) =>
  new Answer(csv(resource, pages), { 'content-disposition': `attachment; filename="${resource}.csv"` })

async function* csv(
  resource: ImportResource,
  pages: AsyncIterable<readonly Exported[]>,
): AsyncGenerator<string> {
  const columns = importColumns[resource]
  let head: readonly (readonly string[])[] = [columns]
  for await (const page of pages) {
    yield textOf([...head, ...page.map((row) => columns.map((column) => guarded(cell(column, row))))])
    head = []
  }
  if (head.length > 0) yield textOf(head)
}

/** RFC 4180 ends lines with CR LF; either of them alone would end one too, for most readers. */
const textOf = (rows: readonly (readonly string[])[]) =>
  stringify(rows as string[][], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ })

function cell(column: ImportColumn, row: Exported): string {
  if (column === 'rfid' || column === 'ble' || column === 'barcode')
    return joined(row.tags.filter(({ tag_type }) => tag_type === column).map(({ value }) => value))
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
