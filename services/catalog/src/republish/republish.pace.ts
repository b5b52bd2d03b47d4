import { setTimeout as wait } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db.ts'

type Options = {
  /** Messages that may wait in the outbox. */
  atMost: number
  /** Gives up when the outbox has not become shorter for this long. */
  patienceMs: number
  onWait?: (queued: number) => void
}

/** The service that publishes what is queued does not seem to run. */
export class NobodyPublishes extends Error {
  override readonly name = 'NobodyPublishes'
}

const LOOK_EVERY_MS = 200

/**
 * Resolves as soon as the outbox has room. Changes made meanwhile are published in their turn, so a long queue would
 * delay them. Throws NobodyPublishes.
 */
export async function awaitRoom(db: Kysely<Tables>, { atMost, patienceMs, onWait }: Options): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY
  let since = Date.now()
  for (;;) {
    const queued = await countQueued(db)
    if (queued <= atMost) return
    if (queued < shortest) [shortest, since] = [queued, Date.now()]
    if (Date.now() - since > patienceMs)
      throw new NobodyPublishes(
        `${queued} messages wait in the outbox and nobody publishes them: is catalog running?`,
      )
    onWait?.(queued)
    await wait(LOOK_EVERY_MS)
  }
}

async function countQueued(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ queued: number }>`select count(*) as queued from outbox`.execute(db)
  return rows[0]?.queued ?? 0
}
