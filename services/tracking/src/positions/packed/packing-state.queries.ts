import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** Rows before it are packed, and the others are in `scan`. */
export const PACKED_UNTIL = sql.raw('(select packed_until from history_packing)')

/** The same as a day of `day_packed`. */
export const PACKED_UNTIL_DAY = sql.raw(
  `(select case when isfinite(packed_until) then (packed_until at time zone 'UTC')::date else '-infinity' end from history_packing)`,
)

/** As `2026-11-26`: the first day that is not packed. `-infinity` if none is. */
export async function readPackedUntil(db: Db): Promise<string> {
  const { rows } = await sql<{ until: string }>`select ${PACKED_UNTIL_DAY}::text as until`.execute(db)
  return rows[0]?.until ?? '-infinity'
}
