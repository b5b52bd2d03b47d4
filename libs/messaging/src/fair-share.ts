/** Waiting for less than this delays nobody: a few milliseconds of work. */
const SHARE_AT_LEAST = 256 * 1024
/** A group may hold somewhat more than its equal share: who floods alike takes turns in memory, and nothing is moved. */
const TOLERANCE = 1.25

type Load = {
  /** What waits of the group, as `costOf` counts. */
  cost: number
  /** What waits of all groups. */
  total: number
  /** Groups that were heard lately, this one included. */
  active: number
}

/** Whether a group holds more than its share. A single one never does: that would be more than all there is. */
export const isOverShare = ({ cost, total, active }: Load): boolean =>
  cost > SHARE_AT_LEAST && cost > (TOLERANCE * total) / active
