import { anyOf, containing, isValidNow } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'
import type { ReportAsk, ReportSort } from './report.ask.ts'

/** The pieces of the report's statements. Aliases: `p` position, `a` asset, `s` asset_place, `l` location. */
export type Sql = RawBuilder<unknown>

export const both = (...conditions: readonly (Sql | undefined)[]): Sql =>
  sql.join(conditions.filter((condition) => condition !== undefined), sql` and `) // prettier-ignore

/** What a list shows now (D7.1): what is valid at this moment, and was not deleted unless that is asked for. */
export const effective = (alias: 'p' | 'a' | 's', includeDeleted: boolean): Sql => {
  const valid = isValidNow(alias)
  return includeDeleted ? valid : sql`${valid} and ${sql.ref(`${alias}.deleted_at`)} is null`
}

/**
 * The location that `alias` names is one of those asked for, and one that exists where only such are. Written so that
 * it is looked up row by row and never turned into a join, which would read all rows before the first one.
 */
export function placed(
  alias: 'p' | 's',
  orgId: number,
  { locationIds, placedOnly }: ReportAsk,
): Sql | undefined {
  if (!locationIds && !placedOnly) return undefined
  const column = sql.ref(`${alias}.location_id`)
  const exists = sql`${column} is not null and ${column} not in (
    select gone.id from location gone where gone.org_id = ${orgId} and gone.deleted_at is not null)`
  return both(
    locationIds && anyOf(`${alias}.location_id`, locationIds, 'bigint'),
    placedOnly ? exists : undefined,
  )
}

/** Names and keys are divided by it in `search_text`; nothing that is searched for contains it. */
const SEPARATOR = '\u001f'

/**
 * Asset `a` has `q` in its name, its key or the value of one of its tags (D8.2). Tried on one asset after the other:
 * without the offset the planner might look for all such tags first.
 */
export function matches(q: string): Sql {
  if (q.includes(SEPARATOR)) return sql`false`
  return sql`(a.search_text like ${containing(q)} or exists (
    select from tag t where t.org_id = a.org_id and t.asset_id = a.id and t.deleted_at is null
      and t.search_text like ${containing(q)} offset 0))`
}

/** A condition that is tried on one row after the other, whatever the planner thinks of it. */
export const probe = (from: Sql): Sql => sql`cross join lateral (select from ${from} offset 0) probed`

/**
 * `asset_id` of the effective scanned assets that match, once each, found by the indexes for substrings. Those that only a
 * tag has made match are few, so it is them that are looked through for repetitions. Through the views: under row-level
 * security `like` finds no index (ADR 17).
 */
export function found(orgId: number, q: string, includeDeleted: boolean): Sql {
  if (q.includes(SEPARATOR)) return sql`select null::bigint as asset_id where false`
  const shown = sql`a.is_scanned and ${effective('a', includeDeleted)}`
  return sql`
    select a.id as asset_id from own_asset a
    where a.org_id = ${orgId} and ${shown} and a.search_text like ${containing(q)}
    union all
    select distinct a.id from own_tag t join own_asset a on a.org_id = t.org_id and a.id = t.asset_id and ${shown}
    where t.org_id = ${orgId} and t.deleted_at is null and t.asset_id is not null
      and t.search_text like ${containing(q)} and a.search_text not like ${containing(q)}`
}

/** Of a location that was deleted only the id is shown (D8.3). */
export const LOCATION_KEY = sql.raw('case when l.deleted_at is null then l.external_key end')

type Term = { column: Sql; descending: boolean; nullable?: boolean }

type Order = { id?: string; reversed?: boolean; idDescending?: boolean }

/**
 * Rows that are equal in all fields asked for go by id, or pages would repeat and skip them; the direction of the id is
 * that of the index behind the first field. Reversed, the order of a walk that begins at the end.
 */
export function orderBy(
  sort: ReportAsk['sort'],
  { id = 'p.asset_id', reversed = false, idDescending = isIdDescending(sort) }: Order = {},
): Sql {
  const terms = [...sort.flatMap(termsOf), { column: sql.ref(id), descending: idDescending }]
  return sql.join(terms.map((term) => rendered(term, reversed)))
}

function isIdDescending([first]: ReportAsk['sort']): boolean {
  if (first?.field === 'asset_last_seen') return !first.descending
  return first?.field === 'asset_external_key' && first.descending
}

function termsOf({ field, descending }: { field: ReportSort; descending: boolean }): Term[] {
  if (field === 'asset_last_seen') return [{ column: sql.raw('p.observed_at'), descending }]
  if (field === 'asset_external_key') return [{ column: sql.raw('a.external_key'), descending }]
  return [{ column: LOCATION_KEY, descending, nullable: true }]
}

/** What has no key comes last, whichever the direction. */
function rendered({ column, descending, nullable }: Term, reversed: boolean): Sql {
  const direction = sql.raw(descending === reversed ? 'asc' : 'desc')
  if (!nullable) return sql`${column} ${direction}`
  return sql`${column} ${direction} nulls ${sql.raw(reversed ? 'first' : 'last')}`
}
