/** Waiting for less than this delays nobody: a few milliseconds of work. */
const SHARE_AT_LEAST = 256 * 1024
/** Groups that hold at least this part of what the largest holds send much as well. They take turns, and nothing is moved. */
const ALIKE = 1 / 4

/** Bytes handled at a time beside somebody quiet, who waits for the whole of them. */
const SHARED_BYTES = 512 * 1024

type Waiting = {
  /** What the group that holds most holds, as `costOf` counts. */
  readonly largestCost: number
  /** Groups that hold at least so much. */
  countFrom(cost: number): number
}

type Groups = {
  /** How many were heard lately, without those that wait in OVERFLOW. */
  readonly active: number
}

/**
 * Whether a group that holds `cost` holds more than its share: enough to delay others, while some active group holds much
 * less. A single one never does, nor do those that flood alike.
 */
export const isOverShare = (cost: number, waiting: Pick<Waiting, 'countFrom'>, groups: Groups): boolean =>
  cost > SHARE_AT_LEAST && waiting.countFrom(cost * ALIKE) < groups.active

/** How many bytes to handle at a time: `most` for those that are alike. */
export const bytesAtATime = (most: number, waiting: Waiting, groups: Groups): number =>
  waiting.countFrom(waiting.largestCost * ALIKE) < groups.active ? Math.min(most, SHARED_BYTES) : most
