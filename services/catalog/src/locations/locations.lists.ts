import type { LocationListQuery } from '@whereabouts/contracts/resources/catalog/locations'
import type { SortField } from '@whereabouts/contracts/rules/query'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { listConditions, planOf } from '../lists/conditions.ts'
import { filtered } from '../lists/filtered.ts'
import { readPage, type Page } from '../lists/page.ts'
import { pathOrder } from './path-order.legacy.ts'
import { locationView, type LocationWithParent } from './locations.queries.ts'

/** The legacy vocabulary also sorts by path. */
type Query = Omit<LocationListQuery, 'sort'> & {
  sort?: SortField<'path' | NonNullable<LocationListQuery['sort']>[number]['field']>[] | undefined
}

/** One page of the valid rows that match, with their live tags and the total. */
export function listLocations(db: Db, orgId: number, query: Query): Promise<Page<LocationWithParent>> {
  const { parent_id, parent_external_key, is_root, q, sort } = query
  const conditions = [
    ...listConditions(orgId, 'location', query),
    ...(parent_id === undefined ? [] : [anyOf('location.parent_id', parent_id, 'bigint')]),
    ...(parent_external_key === undefined ? [] : [insideOneOf(orgId, parent_external_key)]),
    ...(is_root === undefined ? [] : [is_root ? ROOT : sql<boolean>`not ${ROOT}`]),
  ]
  return readPage(
    db,
    orgId,
    locationView,
    filtered(orgId, {
      table: 'location',
      conditions,
      q,
      sort,
      derived: sort?.some(({ field }) => field === 'path') ? pathOrder(orgId) : undefined,
      plan: planOf(query),
    }),
    query,
  )
}

const ROOT = sql<boolean>`(location.parent_id is null)`

/** Locations whose live parent has one of the keys. */
const insideOneOf = (orgId: number, keys: readonly string[]) => sql<boolean>`location.parent_id in (
  select parent.id from location as parent
  where parent.org_id = ${orgId} and parent.deleted_at is null and ${anyOf('parent.external_key', keys, 'text')})`
