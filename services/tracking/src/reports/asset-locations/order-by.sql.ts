import { sql } from 'kysely'
import { LOCATION_KEY, type Sql } from '../conditions.sql.ts'
import type { AssetLocationsFilter, ReportSort } from './filter.ts'

type Sort = AssetLocationsFilter['sort']
type Term = { column: Sql; descending: boolean; nullable?: boolean }
type Options = { id?: string; isReversed?: boolean; isIdDescending?: boolean }

/**
 * The requested order, then the id: without it, pages would repeat or skip equal rows. The id has the direction of
 * the index of the first field. `isReversed` is the order from the far end.
 */
export function orderBy(
  sort: Sort,
  { id = 'p.asset_id', isReversed = false, isIdDescending = idDirection(sort) }: Options = {},
): Sql {
  const terms = [...sort.map(termOf), { column: sql.ref(id), descending: isIdDescending }]
  return sql.join(terms.map((term) => render(term, isReversed)))
}

function idDirection([first]: Sort): boolean {
  if (first?.field === 'asset_last_seen') return !first.descending
  return first?.field === 'asset_external_key' && first.descending
}

function termOf({ field, descending }: { field: ReportSort; descending: boolean }): Term {
  if (field === 'asset_last_seen') return { column: sql.raw('p.observed_at'), descending }
  if (field === 'asset_external_key') return { column: sql.raw('a.external_key'), descending }
  return { column: LOCATION_KEY, descending, nullable: true }
}

/** Rows without a key come last, in both directions. */
function render({ column, descending, nullable }: Term, isReversed: boolean): Sql {
  const direction = sql.raw(descending === isReversed ? 'asc' : 'desc')
  return nullable
    ? sql`${column} ${direction} nulls ${sql.raw(isReversed ? 'first' : 'last')}`
    : sql`${column} ${direction}`
}

/** Limit and offset of a page, counted from the nearer end of `total` rows: skipping 90 % costs what 10 % does. */
export function fromNearerEnd({ limit, offset }: AssetLocationsFilter, total: number) {
  if (offset <= total / 2) return { limit, offset, isReversed: false }
  const rows = Math.max(0, Math.min(limit, total - offset))
  return { limit: rows, offset: total - offset - rows, isReversed: true }
}
