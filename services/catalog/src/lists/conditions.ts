import { sql, type RawBuilder } from 'kysely'

/** Rows whose validity window contains this moment; on lists always (D7.1). */
export function effectiveNow(table: 'asset' | 'location'): RawBuilder<boolean> {
  const [from, to] = [sql.ref(`${table}.valid_from`), sql.ref(`${table}.valid_to`)]
  return sql<boolean>`(${from} <= now() and (${to} is null or ${to} > now()))`
}

/**
 * Rows whose `search_text`, or a live tag's, contains `q` literally, whatever the case (D4.11). The text is folded by
 * the database on both sides: two ideas of lower case would miss each other.
 */
export function containing(table: 'asset' | 'location', orgId: number, q: string): RawBuilder<boolean> {
  const pattern = sql`lower(${`%${escapeLike(q)}%`}::text collate "pg_c_utf8")`
  const owner = sql.ref(`tag.${table}_id`)
  return sql<boolean>`(${sql.ref(`${table}.search_text`)} like ${pattern} or ${sql.ref(`${table}.id`)} in (
    select ${owner} from tag
    where tag.org_id = ${orgId} and tag.deleted_at is null and ${owner} is not null
      and tag.search_text like ${pattern}))`
}

/** `%`, `_` and the escape itself match themselves. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/** Any of the values, as one array: the statement's text does not depend on how many there are. */
export function anyOf(
  column: string,
  values: readonly (string | number)[],
  type: 'text' | 'bigint',
): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = any(${[...values]}::${sql.raw(`${type}[]`)})`
}

export const pageOf = ({ limit, offset }: { limit: number; offset: number }) => ({ limit, offset })
