import type { Movement } from '../../live/movement.ts'

export type Entry =
  | { kind: 'moved'; key: string; movement: Movement }
  /** Movements may be missing between the entry above and the one below. */
  | { kind: 'gap'; key: string; at: string }

export type MovementLog = {
  /** Newest first. */
  shown: readonly Entry[]
  isPaused: boolean
  /** Entries that arrived while paused, newest first, at most `KEPT`. */
  waiting: readonly Entry[]
  waitingMovements: number
}

/** Few enough to render at once. */
export const KEPT = 200

export const emptyLog: MovementLog = { shown: [], isPaused: false, waiting: [], waitingMovements: 0 }

/** Adds `entries` in order of arrival. A reconnect can repeat a movement: duplicates are dropped. */
export function addEntries(log: MovementLog, entries: readonly Entry[]): MovementLog {
  const known = new Set([...log.shown, ...log.waiting].map(({ key }) => key))
  const fresh = entries.filter(({ key }) => !known.has(key) && known.add(key)).toReversed()
  if (fresh.length === 0) return log
  if (!log.isPaused) return { ...log, shown: [...fresh, ...log.shown].slice(0, KEPT) }
  const movements = fresh.filter(({ kind }) => kind === 'moved').length
  return {
    ...log,
    waiting: [...fresh, ...log.waiting].slice(0, KEPT),
    waitingMovements: log.waitingMovements + movements,
  }
}

export const pause = (log: MovementLog): MovementLog => ({ ...log, isPaused: true })

export const resume = (log: MovementLog): MovementLog => ({
  ...emptyLog,
  shown: [...log.waiting, ...log.shown].slice(0, KEPT),
})

/** Matches the asset or a location. A gap always matches. */
export function matches(entry: Entry, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' || entry.kind === 'gap') return true
  const { asset, from_location, to_location } = entry.movement
  return [asset.name, asset.external_key, from_location?.name ?? '', to_location.name].some((value) =>
    value.toLowerCase().includes(wanted),
  )
}
