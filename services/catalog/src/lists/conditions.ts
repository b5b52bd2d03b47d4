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
    effectiveNow(table),
    ...(include_deleted === true ? [] : [sql<boolean>`${sql.ref(`${table}.deleted_at`)} is null`]),
    ...(external_key === undefined ? [] : [anyOf(`${table}.external_key`, external_key, 'text')]),
    ...(is_active === undefined ? [] : [sql<boolean>`${sql.ref(`${table}.is_active`)} = ${is_active}`]),
  ]
}

/** Rows whose validity window contains this moment; on lists always (D7.1). */
function effectiveNow(table: 'asset' | 'location'): Condition {
  const [from, to] = [sql.ref(`${table}.valid_from`), sql.ref(`${table}.valid_to`)]
  return sql<boolean>`(${from} <= now() and (${to} is null or ${to} > now()))`
}

/** `%`, `_` and the escape itself match themselves. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** Any of the values, as one array: the statement's text does not depend on how many there are. */
export function anyOf(
  column: string,
  values: readonly (string | number)[],
  type: 'text' | 'bigint',
): Condition {
  return sql<boolean>`${sql.ref(column)} = any(${[...values]}::${sql.raw(`${type}[]`)})`
}

export const pageOf = ({ limit, offset }: { limit: number; offset: number }) => ({ limit, offset })
