import { sql, type RawBuilder } from 'kysely'

/** `column` is one of `values`, sent as one array: the statement's text does not depend on how many there are. */
export const anyOf = (
  column: string,
  values: readonly (string | number)[],
  type: 'text' | 'bigint',
): RawBuilder<boolean> => sql`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`

/** The validity window of the row that `alias` names contains this moment (D7.1). */
export function isValidNow(alias: string): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${alias}.valid_from`), sql.ref(`${alias}.valid_to`)]
  return sql`(${from} <= now() and (${to} is null or ${to} > now()))`
}

/** `text` as a LIKE pattern that matches it literally: `%`, `_` and the escape itself stand for themselves. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/**
 * LIKE pattern for a column `search_text` that contains `q`, in any case (D4.11). The database folds both sides: two
 * definitions of lower case would miss each other.
 */
export const containing = (q: string): RawBuilder<string> =>
  sql`lower(${`%${escapeLike(q)}%`}::text collate "pg_c_utf8")`
