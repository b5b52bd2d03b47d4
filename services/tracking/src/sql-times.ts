import { sql } from 'kysely'

// Integer arithmetic, because to_timestamp() takes a double: its result may be a microsecond short and reads back as
// the millisecond before.
export const instant = (column: string) =>
  sql.raw(`timestamptz 'epoch' + ${column} * interval '1 millisecond'`)
export const minuteTime = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 minute'`)
export const hourTime = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 hour'`)

/** From a timestamp of whole milliseconds, or minutes. Rounded, because `date_part` returns a double. */
export const epochMs = (column: string) => sql.raw(`round(date_part('epoch', ${column}) * 1000)::bigint`)
export const epochMinute = (column: string) => sql.raw(`round(date_part('epoch', ${column}) / 60)::bigint`)
