import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db.ts'

/**
 * Whether fewer than so many messages wait to be published. All changes wait in one line: what imports put into it
 * faster than it moves would delay those of everybody else.
 */
export async function hasRoom(owner: Kysely<Tables>, atMost: number): Promise<boolean> {
  const { rows } = await sql`select from outbox order by id limit 1 offset ${atMost}`.execute(owner)
  return rows.length === 0
}
