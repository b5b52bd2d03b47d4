import type { AssetListQuery } from '@whereabouts/contracts/resources/catalog/assets'
import { metadataFilter } from '@whereabouts/contracts/rules/metadata-filter'
import { keptCount } from '@whereabouts/db/schema/asset-counts'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'
import type { AssetWithHome, Db } from '../db.ts'
import { listConditions, planOf } from '../lists/conditions.ts'
import { filtered } from '../lists/filtered.ts'
import { readPage, readPageText, type Page, type PageText } from '../lists/page.ts'
import { ownColumns, ownColumnsWithHome } from './assets.queries.ts'
import { storedText } from './texts/texts.ts'

const view = { table: 'asset', own: ownColumns, columns: ownColumnsWithHome } as const

/** One page of the valid rows that match, with their live tags and the total. `among`: only rows with these ids. */
export const listAssets = (
  db: Db,
  orgId: number,
  query: AssetListQuery,
  among?: readonly number[],
): Promise<Page<AssetWithHome>> => readPage(db, orgId, view, pagesOf(orgId, query, among), query)

/** The same page as text. */
export const listAssetTexts = (db: Db, orgId: number, query: AssetListQuery): Promise<PageText> =>
  readPageText(db, pagesOf(orgId, query), (id) => storedText(orgId, id), query)

const pagesOf = (orgId: number, query: AssetListQuery, among?: readonly number[]) =>
  filtered(orgId, {
    table: 'asset',
    conditions: [...assetConditions(orgId, query), ...(among === undefined ? [] : [hasIdOf(among)])],
    q: query.q,
    found: metadataConditions(query),
    sort: query.sort,
    ...(among === undefined && isUnfiltered(query) && { total: keptTotal(orgId) }),
    plan: among === undefined ? planOf(query) : 'custom',
  })

const NO_FILTERS = new Set(['limit', 'offset', 'sort'])
const isUnfiltered = (query: AssetListQuery) =>
  Object.entries(query).every(([name, value]) => value === undefined || NO_FILTERS.has(name))

type Filters = Omit<AssetListQuery, 'limit' | 'offset' | 'sort'>

/** The conditions of the filters, except `q`. */
export const assetConditions = (orgId: number, query: Filters) => [
  ...listConditions(orgId, 'asset', query),
  ...(query.type === undefined ? [] : [anyOf('asset.type', query.type, 'text')]),
  ...(query.home_location_id === undefined
    ? []
    : [anyOf('asset.home_location_id', query.home_location_id, 'bigint')]),
]

/**
 * Has one of these values under each name (D12.13): as text, or as the number or boolean that answers would write like that. An
 * object, a list and null match nothing.
 */
export const metadataConditions = (query: object): RawBuilder<boolean>[] =>
  [...metadataFilter(query)].map(([name, values]) => {
    const wanted = values.flatMap((value) => [value, ...scalarOf(value)].map((one) => ({ [name]: one })))
    const parts = wanted.map((one) => sql`metadata @> ${JSON.stringify(one)}::jsonb`)
    return sql<boolean>`(${sql.join(parts, sql` or `)})`
  })

function scalarOf(text: string): (number | boolean)[] {
  if (text === 'true' || text === 'false') return [text === 'true']
  const number = Number(text)
  return Number.isFinite(number) && JSON.stringify(number) === text ? [number] : []
}

/**
 * A literal, which PostgreSQL turns into a hash table. The driver would need longer to encode a list than the
 * database to read every row.
 */
const hasIdOf = (ids: readonly number[]) => sql<boolean>`asset.id = any(${`{${ids.join(',')}}`}::bigint[])`

/**
 * The number of live assets that are valid now, without counting them (ADR 71). Of the live ones it subtracts those that have
 * ended and those that have not begun. No asset is both (`asset_window`).
 */
const keptTotal = (orgId: number): RawBuilder<unknown> => sql`
  select ${keptCount(orgId)}
    - (select count(*) from asset where org_id = ${orgId} and deleted_at is null and valid_to <= now())
    - (select count(*) from asset where org_id = ${orgId} and deleted_at is null and valid_from > now())`
