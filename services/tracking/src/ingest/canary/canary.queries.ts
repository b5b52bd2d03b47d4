import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

/** Keeps the newest: canaries are redelivered, and replicas store them in any order. */
export async function storeCanary(db: Kysely<Tables>, receivedAtMs: number): Promise<void> {
  await db
    .insertInto('canary')
    .values({ is_only: true, received_at: new Date(receivedAtMs).toISOString() })
    .onConflict((row) =>
      row.column('is_only').doUpdateSet({
        received_at: sql<string>`greatest(canary.received_at, excluded.received_at)`,
      }),
    )
    .execute()
}

/** When the broker received the newest stored canary; undefined before the first one. */
export async function newestCanary(db: Kysely<Tables>): Promise<number | undefined> {
  const row = await db.selectFrom('canary').select('received_at').executeTakeFirst()
  return row && Date.parse(row.received_at)
}
