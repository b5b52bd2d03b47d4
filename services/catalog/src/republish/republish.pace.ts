import { setTimeout as wait } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db.ts'

type Options = {
  /** Maximum number of messages in the outbox. */
  atMost: number
  /** Fails if the outbox does not become shorter for this long. */
  patienceMs: number
  onWait?: (queued: number) => void
}

/** The outbox does not become shorter. The service probably does not run. */
export class OutboxNotPublished extends Error {
  override readonly name = 'OutboxNotPublished'
}

const POLL_MS = 200

/** Resolves when the outbox has room, because a long queue would delay new changes. Throws OutboxNotPublished. */
export async function awaitRoom(db: Kysely<Tables>, { atMost, patienceMs, onWait }: Options): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY
  let since = Date.now()
  for (;;) {
    const queued = await countQueued(db)
    if (queued <= atMost) return
    if (queued < shortest) [shortest, since] = [queued, Date.now()]
    if (Date.now() - since > patienceMs)
      throw new OutboxNotPublished(
        `${queued} messages wait in the outbox and are not published. Is catalog running?`,
      )
    onWait?.(queued)
    await wait(POLL_MS)
  }
}

async function countQueued(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ queued: number }>`select count(*) as queued from outbox`.execute(db)
  return rows[0]?.queued ?? 0
}
