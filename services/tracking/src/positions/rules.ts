import type { PlacementUpdate } from '@whereabouts/contracts/resources/tracking/placement'

/** How an organization wants positions to be decided (D18.7). */
export type PlacementRules = {
  /** `carry`: a move in the middle of a minute becomes the first observation of the next minute. */
  passages: 'next_observation' | 'carry'
  /** Reads of tags of these types are judged by their strength. Those of others move at once. */
  tagTypes: readonly string[]
  /** How much stronger another place must be, in dB. */
  marginDb: number
  exitDelaySeconds: number
  /** Weaker reads of these tag types are no scans. Null: all are strong enough. */
  minRssiDbm: number | null
}

export const DEFAULT_RULES: PlacementRules = {
  passages: 'next_observation',
  tagTypes: ['ble'],
  marginDb: 0,
  exitDelaySeconds: 0,
  minRssiDbm: null,
}

/** Whether strengths decide. Otherwise, the first read of a minute does. */
export const isJudging = ({ marginDb, exitDelaySeconds }: PlacementRules): boolean =>
  marginDb > 0 || exitDelaySeconds > 0

const SHORTEST_HOLD_SECONDS = 60

/** For how long the strength of a place counts, in milliseconds. After that the place is not heard. */
export const holdMsOf = ({ exitDelaySeconds }: PlacementRules): number =>
  Math.max(SHORTEST_HOLD_SECONDS, exitDelaySeconds) * 1_000

/** What is absent stays. */
export const withChanges = (rules: PlacementRules, changes: PlacementUpdate): PlacementRules => ({
  passages: changes.passages ?? rules.passages,
  tagTypes: changes.tag_types ?? rules.tagTypes,
  marginDb: changes.margin_db ?? rules.marginDb,
  exitDelaySeconds: changes.exit_delay_seconds ?? rules.exitDelaySeconds,
  minRssiDbm: changes.min_rssi_dbm === undefined ? rules.minRssiDbm : changes.min_rssi_dbm,
})
