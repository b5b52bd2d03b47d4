import type { Observation } from '../../positions/observation.ts'
import type { Stored } from './store.ts'

/** Of all parts. */
export type StoredParts = Omit<Stored, 'missing'>

/** Parallel transactions of one batch: while one waits for the disk, the other inserts. */
const PARTS = 2
/** Below this a second transaction costs more than it saves. */
const MIN_FOR_PARTS = 1_000

/**
 * Stores a large batch in parallel transactions, each with all rows of its assets. If one fails, others may be
 * committed, which is safe to repeat. No transaction is running once this settles.
 */
export async function storeInParts(
  observations: readonly Observation[],
  step: (part: readonly Observation[]) => Promise<StoredParts>,
): Promise<StoredParts> {
  if (observations.length < MIN_FOR_PARTS) return step(observations)
  const parts = Map.groupBy(observations, ({ assetId }) => assetId % PARTS)
  const outcomes = await Promise.allSettled([...parts.values()].map(step))
  const stored: StoredParts = { rows: 0, movements: 0, positions: [], outvoted: [] }
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
    stored.rows += outcome.value.rows
    stored.movements += outcome.value.movements
    stored.positions = stored.positions.concat(outcome.value.positions)
    stored.outvoted = stored.outvoted.concat(outcome.value.outvoted)
  }
  return stored
}
