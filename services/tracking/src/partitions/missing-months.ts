import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { createMonths } from './partitions.loop.ts'
import { monthOf } from './partitions.queries.ts'

/**
 * Runs `work`, which stores rows of these instants in a transaction of its own. Where a month has no partition, because
 * none was made for months or the broker's clock is far off, it is made and `work` is run once more: a scan is worth
 * more than the order in which tables are made.
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

/** Where a save may be stored: up to half a minute after it was made (ADR 20). */
export const monthsOfSave = (savedAtMs: number): number[] => [savedAtMs, savedAtMs + 60_000]

function isPartitionMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23514' && typeof message === 'string' && message.startsWith('no partition of relation')
}
