import { bigints, texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'

/** Receipt of the newest message with a right time, and the newest right time of a reader (D18.2). */
export type RightTimes = { seenMs: number; newestMs: number }

/** Of those of these readers that ever had one. */
export async function findRightTimes(
  db: Db,
  readers: readonly { orgId: number; readerKey: string }[],
): Promise<({ orgId: number; readerKey: string } & RightTimes)[]> {
  const { rows } = await sql<{ orgId: number; readerKey: string } & RightTimes>`
    select h.org_id as "orgId", h.reader_key as "readerKey", ${epochMs('h.right_seen_at')} as "seenMs",
      ${epochMs('h.right_newest_at')} as "newestMs"
    from unnest(${bigints(readers.map(({ orgId }) => orgId))}, ${texts(readers.map(({ readerKey }) => readerKey))})
      as n (org_id, reader_key)
    join reader_health h on h.org_id = n.org_id and h.reader_key = n.reader_key
    where h.right_seen_at is not null and h.right_newest_at is not null`.execute(db)
  return rows
}
