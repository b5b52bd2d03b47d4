import type { Verdict } from '../load/verdict.ts'
import { median } from '../load/figures.ts'
import { trackingOf, type Bench } from './bench.ts'
import { drainInTurn } from './drain.ts'
import { insertBare } from './floors.ts'
import { pairOf, pairTable, verdict, type Pair } from './pairs.ts'
import { publishNewMinutes, readsPerMinute } from './reads.ts'

/** Every read is the first of its asset and minute. Compared with bare inserts of the same rows. */
export async function measureNewRows({ stack, nc, settings, say }: Bench): Promise<Verdict[]> {
  const { warehouse, minutes, rounds } = settings
  const pairs: Pair[] = []
  // Within the 24 hours for which a reader's own time counts, and never twice.
  let fromMinute = Math.floor(Date.now() / 60_000) - 23 * 60
  const last = Math.min(rounds, Math.floor((22 * 60) / minutes) - 1)
  for (let round = 0; round <= last; round += 1) {
    const span = { fromMinute, minutes }
    const bare = await insertBare(stack, warehouse, span)
    const [tracking] = await drainInTurn(nc, [trackingOf(stack)], () =>
      publishNewMinutes(nc, warehouse, span),
    )
    if (round > 0 && tracking) pairs.push(pairOf(bare, tracking))
    fromMinute += minutes
  }
  const rows = readsPerMinute(warehouse) * minutes
  say(pairTable('New rows: every read is the first of its asset and minute', 'bare insert', pairs, rows))
  const ratio = median(pairs.map((pair) => pair.ratio))
  return [verdict('new rows: tracking ÷ bare insert', '≥ 0.6', ratio, (r) => r >= 0.6)]
}
