import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { createMonths } from './partitions.loop.ts'
import { monthOf } from './partitions.queries.ts'

/**
 * Runs `work`, which stores rows of these instants in its own transaction. If a month has no partition, creates it
 * and runs `work` again. That happens if the partition loop failed for months or the broker's clock is far off.
 */
export async function withMonths<T>(
  db: Kysely<Tables>,
  instantsMs: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isPartitionMissing(error)) throw error
    await createMonths(db, instantsMs.map(monthOf))
    return work()
  }
}

/** Instants whose months may get the rows of a save: its row may be up to half a minute later (ADR 20). */
export const monthsOfSave = (savedAtMs: number): number[] => [savedAtMs, savedAtMs + 60_000]

function isPartitionMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23514' && typeof message === 'string' && message.startsWith('no partition of relation')
}
