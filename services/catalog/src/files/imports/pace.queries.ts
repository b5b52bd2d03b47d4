import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

/**
 * Whether at most this many messages wait in the outbox. All changes share it, so imports that fill it would delay the
 * changes of all organizations.
 */
export async function hasRoom(owner: Kysely<Tables>, atMost: number): Promise<boolean> {
  const { rows } = await sql`select from outbox order by id limit 1 offset ${atMost}`.execute(owner)
  return rows.length === 0
}
