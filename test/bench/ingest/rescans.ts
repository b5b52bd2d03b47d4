import type { Verdict } from '../load/verdict.ts'
import { median } from '../load/figures.ts'
import { drainInTurn } from './drain.ts'
import { pairOf, pairTable, verdict, type Pair } from './pairs.ts'
import { publishRescans, READS_PER_MESSAGE } from './reads.ts'
import { trackingOf, type Bench } from './bench.ts'

/** Repeated reads of assets that do not move. Compared with a bare consumer of the same messages. */
export async function measureRescans({ stack, nc, floor, settings, say }: Bench): Promise<Verdict[]> {
  const { warehouse, messages, rounds } = settings
  const pairs: Pair[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const ours = trackingOf(stack)
    const floorFirst = round % 2 === 0
    const drained = await drainInTurn(nc, floorFirst ? [floor, ours] : [ours, floor], () =>
      publishRescans(nc, warehouse, messages),
    )
    const [bare, tracking] = floorFirst ? drained : drained.toReversed()
    // The first round compiles.
    if (round > 0 && bare && tracking) pairs.push(pairOf(bare.seconds, tracking))
  }
  const reads = messages * READS_PER_MESSAGE
  say(pairTable('Steady rescans: only the first read of a minute is new', 'bare consumer', pairs, reads))
  const perSecond = reads / median(pairs.map(({ tracking }) => tracking.seconds))
  const ratio = median(pairs.map((pair) => pair.ratio))
  const [firstMiB, lastMiB] = [pairs[0]?.tracking.residentMiB ?? 0, pairs.at(-1)?.tracking.residentMiB ?? 0]
  const growth = Math.round(lastMiB - firstMiB)
  return [
    verdict('rescans: tracking ÷ bare consumer', '≥ 0.6', ratio, (r) => r >= 0.6),
    verdict('rescans: reads/s', '≥ 100000', Math.round(perSecond), (n) => n >= 100_000),
    verdict('memory: growth from the first round to the last, MiB', '≤ 30', growth, (n) => n <= 30),
  ]
}
