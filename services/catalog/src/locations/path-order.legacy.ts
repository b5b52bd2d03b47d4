import { sql } from 'kysely'
import type { Derived } from '../lists/filtered.ts'
import { MAX_LEVELS } from './paths.legacy.ts'

/**
 * The text of `pathsAmong` as an order. PostgreSQL climbs from each row that matches to its root, once, and keeps only
 * the rows of the page: a table of all paths could be of gigabytes.
 */
export const pathOrder = (orgId: number): Derived => ({
  field: 'path',
  columns: ['external_key', 'parent_id'],
  // Without `limit 1`, each step would be planned for many rows a level (see `listPageAncestors`).
  join: sql`left join lateral (
    with recursive around as (
      select null::text collate "pg_c_utf8" as external_key, page.parent_id as parent_id, 0 as level
      union all
      select parent.external_key, parent.parent_id, around.level + 1
      from around cross join lateral (
        select external_key, parent_id from location
        where org_id = ${orgId} and id = around.parent_id
        limit 1) as parent
      where around.level < ${MAX_LEVELS}
    )
    select case when bool_or(level = ${MAX_LEVELS} and parent_id is not null) then '….' else '' end
      || coalesce(string_agg(external_key, '.' order by level desc) || '.', '') as above
    from around
  ) as around on true`,
  value: sql`(around.above || page.external_key) collate "pg_c_utf8"`,
})
