import { sql, type RawBuilder } from 'kysely'

/**
 * `column` is one of `values`. They are sent as one array, so that the text of the statement does not depend on their
 * number.
 */
export const anyOf = (
  column: string,
  values: readonly (string | number)[],
  type: 'text' | 'bigint',
): RawBuilder<boolean> => sql`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`

/** The validity window of the row `alias` contains the current time (D7.1). */
export function isValidNow(alias: string): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${alias}.valid_from`), sql.ref(`${alias}.valid_to`)]
  return sql`(${from} <= now() and (${to} is null or ${to} > now()))`
}

/** A LIKE pattern that matches `text` literally: escapes `%`, `_` and the escape character. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/**
 * A LIKE pattern for a column `search_text` that contains `q`, ignoring case (D4.11). The database folds both sides,
 * because two definitions of lower case would not match.
 */
export const containing = (q: string): RawBuilder<string> =>
  sql`lower(${`%${escapeLike(q)}%`}::text collate "pg_c_utf8")`
