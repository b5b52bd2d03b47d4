import { anyOf, isValidNow } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'

type Condition = RawBuilder<boolean>

/** Filters of both lists, except `q`. */
type Filters = {
  external_key?: string[] | undefined
  is_active?: boolean | undefined
  include_deleted?: boolean | undefined
  /** `any` adds rows outside their validity. */
  window?: string | undefined
}

/** Valid rows (D7.1) that match the filters. Deleted rows only with `include_deleted`. */
export function listConditions(table: 'asset' | 'location', filters: Filters): Condition[] {
  const { external_key, is_active, include_deleted, window } = filters
  return [
    ...(window === 'any' ? [] : [isValidNow(table)]),
    ...(include_deleted === true ? [] : [sql<boolean>`${sql.ref(`${table}.deleted_at`)} is null`]),
    ...(external_key === undefined ? [] : [anyOf(`${table}.external_key`, external_key, 'text')]),
    ...(is_active === undefined ? [] : [sql<boolean>`${sql.ref(`${table}.is_active`)} = ${is_active}`]),
  ]
}

/** True without filters that have several values: then one plan is good for all values. */
export const isPlain = (query: object): boolean => !Object.values(query).some(Array.isArray)

export const pageOf = ({ limit, offset }: { limit: number; offset: number }) => ({ limit, offset })
