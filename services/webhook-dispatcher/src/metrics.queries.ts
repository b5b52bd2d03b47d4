import { sql } from 'kysely'
import type { Db } from './db.ts'

/** Counts the webhooks of all organizations. */
export async function countWebhooks(across: Db): Promise<{ enabled: number; disabled: number }> {
  const { rows } = await sql<{ enabled: number; disabled: number }>`
    select count(*) filter (where enabled) as enabled, count(*) filter (where not enabled) as disabled
    from webhook`.execute(across)
  return rows[0] ?? { enabled: 0, disabled: 0 }
}
