import type { Logger } from '@whereabouts/service-kit/logging'

export type RefusalLog = {
  /** Counts an attempt of this address block that was refused. */
  count(address: string): void
}

const MAX_ADDRESSES = 1_000
/** Where those are counted that find no place of their own. */
const OTHERS = 'others'

/** One line per address and interval with the number of its refusals, at the end of the interval, however many come. */
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
