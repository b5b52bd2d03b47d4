import { sql, type RawBuilder } from 'kysely'

// Milliseconds become timestamps by integer arithmetic: to_timestamp() takes a double and may end up a microsecond
// short, which would read back as the millisecond before.
export const instant = (column: string) =>
  sql.raw(`timestamptz 'epoch' + ${column} * interval '1 millisecond'`)
export const minuteTime = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 minute'`)

/** Back from a timestamp of whole milliseconds, or minutes. Numeric arithmetic, hence exact. */
export const epochMs = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::bigint`)
export const epochMinute = (column: string) => sql.raw(`(extract(epoch from ${column}) / 60)::bigint`)

export const bigints = (values: readonly (number | null)[]): RawBuilder<unknown> => sql`${values}::bigint[]`
