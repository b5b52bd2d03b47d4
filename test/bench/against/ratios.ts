import type { Verdict } from '../load/verdict.ts'
import { median } from '../load/figures.ts'

/** The usual smallest accepted ratio: this version may be 5 % worse than the other. */
const LEAST = 0.95

/** `ratios`: how much better this version is in each round; 2 is twice as fast. The median counts. */
export function ratioVerdict(what: string, ratios: readonly number[], leastRatio = LEAST): Verdict {
  const ratio = median(ratios)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  return {
    what,
    wanted: `≥ ${leastRatio}`,
    got: `${ratio.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`,
    reached: ratio >= leastRatio,
  }
}
