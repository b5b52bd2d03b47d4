import { sql, type RawBuilder } from 'kysely'

/** Conditions that the statements of several reports share. Aliases: `p` position, `a` asset, `s` asset_place. */
export type Sql = RawBuilder<unknown>

/** Valid at this moment, and not deleted unless `includeDeleted` (D7.1). */
export function isValidNow(alias: 'p' | 'a' | 's', includeDeleted: boolean): Sql {
  const [from, to, deleted] = ['valid_from', 'valid_to', 'deleted_at'].map((c) => sql.ref(`${alias}.${c}`))
  const valid = sql`${from} <= now() and (${to} is null or ${to} > now())`
  return includeDeleted ? valid : sql`${valid} and ${deleted} is null`
}

export const anyOf = (column: string, values: readonly (number | string)[], type: 'bigint' | 'text'): Sql =>
  sql`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`

/** The key of location `l`; null for a deleted location (D8.3). */
export const LOCATION_KEY = sql.raw('case when l.deleted_at is null then l.external_key end')
