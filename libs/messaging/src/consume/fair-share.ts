/** A group that holds less than this delays no other group: a few milliseconds of work. */
const MIN_SHARE = 256 * 1024
/**
 * A group that holds at least this part of the largest cost floods as well. Flooding groups take turns; nothing is
 * moved.
 */
const ALIKE = 1 / 4

/** Bytes handled at a time while a quiet group is active: its messages wait until all of them are handled. */
const SHARED_BYTES = 512 * 1024

type Waiting = {
  /** The cost of the group that holds most, as `costOf` counts it. */
  readonly largestCost: number
  /** How many groups hold at least this cost. */
  countFrom(cost: number): number
}

type Groups = {
  /** How many groups were recently heard, without those whose messages wait in OVERFLOW. */
  readonly active: number
}

/**
 * Whether a group that holds `cost` holds more than its share: enough to delay others, while another active group
 * holds much less. Never true for a single group, or if all groups flood alike.
 */
export const isOverShare = (cost: number, waiting: Pick<Waiting, 'countFrom'>, groups: Groups): boolean =>
  cost > MIN_SHARE && waiting.countFrom(cost * ALIKE) < groups.active

/**
 * How many bytes to handle at a time: `most` if all active groups are alike. With `most` always, large messages of floods
 * delay others six times as long (ADR 69).
 */
export const bytesAtATime = (most: number, waiting: Waiting, groups: Groups): number =>
  waiting.countFrom(waiting.largestCost * ALIKE) < groups.active ? Math.min(most, SHARED_BYTES) : most
