import { anyOf, isValidNow } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'

type Condition = RawBuilder<boolean>

/** Filters that both lists have; `q` is none of them. */
type Filters = {
  external_key?: string[] | undefined
  is_active?: boolean | undefined
  include_deleted?: boolean | undefined
}

/** Effective rows (D7.1), live ones unless asked otherwise, and what the filters that were sent ask for. */
export function listConditions(table: 'asset' | 'location', filters: Filters): Condition[] {
  const { external_key, is_active, include_deleted } = filters
  return [
    isValidNow(table),
    ...(include_deleted === true ? [] : [sql<boolean>`${sql.ref(`${table}.deleted_at`)} is null`]),
    ...(external_key === undefined ? [] : [anyOf(`${table}.external_key`, external_key, 'text')]),
    ...(is_active === undefined ? [] : [sql<boolean>`${sql.ref(`${table}.is_active`)} = ${is_active}`]),
  ]
}

export const pageOf = ({ limit, offset }: { limit: number; offset: number }) => ({ limit, offset })
