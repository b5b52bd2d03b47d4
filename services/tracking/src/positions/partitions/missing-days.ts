import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { createDays } from './partitions.loop.ts'
import { dateOf } from './partitions.queries.ts'

/**
 * Runs `work`, which stores rows of these instants in its own transaction. If a day has no partition, creates it
 * and runs `work` again. That happens with a late read, if the partition loop failed for days or the broker's clock is far off.
 */
export async function withDays<T>(
  db: Kysely<Tables>,
  instantsMs: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isPartitionMissing(error)) throw error
    await createDays(db, instantsMs.map(dateOf))
    return work()
  }
}

/** Instants whose days may get the rows of a save: its row may be up to half a minute later (ADR 20). */
export const instantsOfSave = (savedAtMs: number): number[] => [savedAtMs, savedAtMs + 60_000]

function isPartitionMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23514' && typeof message === 'string' && message.startsWith('no partition of relation')
}
