import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

/** Canaries come once a minute from each replica. After a longer pause, the broker or ingest was away. */
const LONGEST_PAUSE_MS = 90_000

/** Keeps the newest: canaries are redelivered, and replicas store them in any order. Also keeps since when none was missing. */
export async function storeCanary(db: Kysely<Tables>, receivedAtMs: number): Promise<void> {
  const received_at = new Date(receivedAtMs).toISOString()
  await db
    .insertInto('canary')
    .values({ is_only: true, received_at, steady_since: received_at })
    .onConflict((row) =>
      row.column('is_only').doUpdateSet({
        received_at: sql<string>`greatest(canary.received_at, excluded.received_at)`,
        steady_since: sql<string>`case
          when excluded.received_at > canary.received_at + ${LONGEST_PAUSE_MS} * interval '1 millisecond'
          then excluded.received_at else canary.steady_since end`,
      }),
    )
    .execute()
}

/** When the broker received the newest stored canary; undefined before the first one. */
export async function newestCanary(db: Kysely<Tables>): Promise<number | undefined> {
  const row = await db.selectFrom('canary').select('received_at').executeTakeFirst()
  return row && Date.parse(row.received_at)
}
