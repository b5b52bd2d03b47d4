import type { Verdict } from '../load/verdict.ts'
import { table } from '../load/figures.ts'
import type { Drained } from './drain.ts'

/** One round: the seconds of the floor, and the result of tracking for the same input. `ratio` is floor ÷ tracking. */
export type Pair = { floor: number; tracking: Drained; ratio: number }

export const pairOf = (floorSeconds: number, tracking: Drained): Pair => ({
  floor: floorSeconds,
  tracking,
  ratio: floorSeconds / tracking.seconds,
})

/** Reads a second of each round. Each round has `reads`. */
export function pairTable(title: string, floor: string, pairs: readonly Pair[], reads: number): string {
  const perSecond = (seconds: number) => Math.round(reads / seconds).toLocaleString('en')
  const rows = pairs.map(({ floor: bare, tracking, ratio }, i) => [
    String(i + 1), perSecond(bare), perSecond(tracking.seconds), ratio.toFixed(2), tracking.residentMiB.toFixed(0),
  ]) // oxfmt-ignore
  return `\n${title}, reads/s\n${table([['round', floor, 'tracking', 'ratio', 'MiB'], ...rows])}\n`
}

export const verdict = (
  what: string,
  wanted: string,
  got: number,
  reached: (got: number) => boolean,
): Verdict => ({
  what,
  wanted,
  got: Number.isInteger(got) ? String(got) : got.toFixed(2),
  reached: reached(got),
})
