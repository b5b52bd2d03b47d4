import { sql } from 'kysely'

// Milliseconds become timestamps by integer arithmetic: to_timestamp() takes a double and may end up a microsecond
// short, which would read back as the millisecond before.
export const instant = (column: string) =>
  sql.raw(`timestamptz 'epoch' + ${column} * interval '1 millisecond'`)
export const minuteTime = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 minute'`)

/** Back from a timestamp of whole milliseconds, or minutes: rounded, since a double is less than that off. */
export const epochMs = (column: string) => sql.raw(`round(date_part('epoch', ${column}) * 1000)::bigint`)
export const epochMinute = (column: string) => sql.raw(`round(date_part('epoch', ${column}) / 60)::bigint`)
