import { metadataFilter } from '@whereabouts/contracts/rules/metadata-filter'
import { matchValues } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { TagCreate } from '@whereabouts/contracts/resources/catalog/tags'
import { anyOf, isValidNow } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'

type Condition = RawBuilder<boolean>

/** Filters of both lists. `q` is not among the conditions, but some depend on whether there is a search. */
type Filters = {
  q?: string | undefined
  id?: number[] | undefined
  external_key?: string[] | undefined
  is_active?: boolean | undefined
  tag?: TagCreate[] | undefined
  include_deleted?: boolean | undefined
  /** `any` adds rows outside their validity. */
  window?: 'current' | 'any' | undefined
}

/** Valid rows (D7.1) that match the filters. Deleted rows only with `include_deleted`. */
export function listConditions(orgId: number, table: 'asset' | 'location', filters: Filters): Condition[] {
  const { id, external_key, is_active, tag, include_deleted, window, q } = filters
  const searched = q !== undefined || metadataFilter(filters).size > 0
  return [
    ...(window === 'any' ? [] : [isValidNow(table)]),
    ...(include_deleted === true ? [] : [sql<boolean>`${sql.ref(`${table}.deleted_at`)} is null`]),
    ...(id === undefined ? [] : [anyOf(`${table}.id`, id, 'bigint')]),
    ...(tag === undefined ? [] : [hasOneOf({ orgId, table, searched }, tag)]),
    ...(external_key === undefined ? [] : [anyOf(`${table}.external_key`, external_key, 'text')]),
    ...(is_active === undefined ? [] : [sql<boolean>`${sql.ref(`${table}.is_active`)} = ${is_active}`]),
  ]
}

/**
 * Has a live tag that a read would compare as equal to one of these (D6.5). Each is looked up by itself, so that no plan
 * reads all tags. Without a search, the array of ids finds the rows in an index. In the result of a search, PostgreSQL
 * would go through the array for each row: `unnest`, which it expects to be short, becomes a hash table, and `is true`
 * keeps it from becoming a join.
 */
function hasOneOf({ orgId, table, searched }: Where, tags: readonly TagCreate[]): Condition {
  const wanted = tags.flatMap(({ tag_type, value }) =>
    matchValues(tag_type, value).map((match_value) => ({ tag_type, match_value })),
  )
  const id = sql.ref(`${table}.id`)
  const owners = sql`array(
    select found.owner_id
    from (select distinct tag_type, match_value
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as sent (tag_type text, match_value text)) as wanted
    cross join lateral (
      select ${sql.ref(`tag.${table}_id`)} as owner_id from tag
      where tag.org_id = ${orgId} and tag.tag_type = wanted.tag_type and tag.match_value = wanted.match_value
        and tag.deleted_at is null offset 0) as found
    where found.owner_id is not null)`
  return searched ? sql`(${id} in (select unnest(${owners}))) is true` : sql`${id} = any(${owners})`
}

type Where = { orgId: number; table: 'asset' | 'location'; searched: boolean }

/** How to plan a list: for its values if a filter leaves few rows, and once for all values if no filter has several. */
export function planOf(query: object): 'custom' | 'fixed' | undefined {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined)
  if (sent.some(([name]) => LEAVES_FEW.has(name))) return 'custom'
  return sent.some(([, value]) => Array.isArray(value)) ? undefined : 'fixed'
}

const LEAVES_FEW = new Set(['id', 'tag', 'is_root'])

export const pageOf = ({ limit, offset }: { limit: number; offset: number }) => ({ limit, offset })
