import type { HealthDetail, HealthKind } from './decoder.ts'

const DAY_MS = 24 * 3_600_000
const TOLERATED_AHEAD_MS = 30_000

type MessageFacts = {
  /** Newest time of the message's reads and health events; -Infinity if there is none. */
  newestMs: number
  receivedAtMs: number
  clockUnset: boolean
  readsWithoutAntenna: number
}

/** Events about the clock and the settings of the device, derived from the whole message. Each at most once. */
export function derivedHealth(facts: MessageFacts): { kind: HealthKind; detail: HealthDetail }[] {
  const derived: { kind: HealthKind; detail: HealthDetail }[] = []
  const aheadMs = facts.newestMs - facts.receivedAtMs
  // The window in which a reader's own time counts (D8.6). It reaches back a day, so that the backlog of a reader
  // after a reconnect does not look like a wrong clock.
  if (Number.isFinite(aheadMs) && (aheadMs < -DAY_MS || aheadMs > TOLERATED_AHEAD_MS)) {
    derived.push({ kind: 'clock_skew', detail: { skew_s: Math.trunc(aheadMs / 1000) } })
  }
  if (facts.clockUnset) derived.push({ kind: 'clock_unset', detail: {} })
  if (facts.readsWithoutAntenna > 0) {
    derived.push({ kind: 'config_gap', detail: { missing: 'antenna', reads: facts.readsWithoutAntenna } })
  }
  return derived
}
