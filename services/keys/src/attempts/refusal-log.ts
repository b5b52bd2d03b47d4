import type { Logger } from '@whereabouts/service-kit/logging'

export type RefusalLog = {
  /** Counts a refused attempt of this address block. */
  count(address: string): void
}

const MAX_ADDRESSES = 1_000
/** Counts all addresses beyond the limit together. */
const OTHERS = 'others'

/** Logs one line per address and interval, with its number of refusals. Counts are never evicted before their line. */
export function createRefusalLog(log: Logger, intervalMs = 60_000): RefusalLog {
  const counts = new Map<string, number>()

  function tell(address: string): void {
    log.warn({ address, refused: counts.get(address) }, 'attempts refused')
    counts.delete(address)
  }

  return {
    count(address) {
      const key = counts.has(address) || counts.size < MAX_ADDRESSES ? address : OTHERS
      const before = counts.get(key)
      counts.set(key, (before ?? 0) + 1)
      if (before === undefined) setTimeout(() => tell(key), intervalMs).unref()
    },
  }
}
