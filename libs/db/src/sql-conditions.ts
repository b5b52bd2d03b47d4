import { beaconValue } from '@whereabouts/contracts/resources/catalog/beacons'
import { trimBarcode } from '@whereabouts/contracts/resources/catalog/tag-matching'
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
 * The form in which texts are searched (D19): NFKC in lower case, a final sigma as any sigma, and the control characters of
 * labels as their symbols. Some letters have a composed form in lower case only, hence NFKC twice. Migrations have it too,
 * so a change of it fills `search_text` again.
 */
export const searchForm = (text: RawBuilder<unknown>): RawBuilder<string> => sql`
  translate(normalize(lower(normalize(${text}, NFKC) collate "pg_c_utf8"), NFKC),
    E'ς\x1c\x1d\x1e\x1f\x04', 'σ␜␝␞␟␄')`

/**
 * A LIKE pattern for a column `search_text`, whose parts are in `searchForm`, that contains `q`. The database makes the form
 * of both sides, because two definitions of lower case would not match. NFKC comes before escaping: it makes `%` of `％`.
 */
export const containing = (q: string): RawBuilder<string> =>
  searchForm(sql`${`%${escapeLike(q.normalize('NFKC'))}%`}::text`)

/** The same for the value of a tag. */
export const tagContaining = (q: string): RawBuilder<string> => containing(asTagText(q))

/** Scanners add white space at the ends (D19.1), and a whole beacon has one spelling (D19.3). */
export const asTagText = (q: string): string => beaconValue(q) ?? (trimBarcode(q) || q)

/** One of these columns contains `q`, compared in the same way. Reads each row. No search can have the separator. */
export const hasText = (q: string, columns: readonly string[]): RawBuilder<boolean> =>
  sql`position(${searchForm(sql`${q}::text`)} in ${searchForm(sql`concat_ws(chr(1), ${sql.join(columns.map((column) => sql.ref(column)))})`)}) > 0`
