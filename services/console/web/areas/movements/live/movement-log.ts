import type { Movement } from '../../../live/movement.ts'
import { contains } from '../../../parts/table/compared.ts'

export type Entry =
  | { kind: 'moved'; key: string; movement: Movement }
  /** Movements may be missing between the entry above and the one below: nothing is known after `knownUntil`. */
  | { kind: 'gap'; key: string; at: string; knownUntil: string }

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
  const fresh = unknownOf(log, entries).toReversed()
  if (fresh.length === 0) return log
  if (!log.isPaused) return { ...log, shown: [...fresh, ...log.shown].slice(0, KEPT) }
  return wait(log, [...fresh, ...log.waiting], fresh)
}

/**
 * Adds the movements of the last minutes where they belong by time, and drops gaps that they fill: `from` is when they
 * begin.
 */
export function addPast(log: MovementLog, movements: readonly Movement[], from: string): MovementLog {
  const fresh = unknownOf(
    log,
    movements.map((movement) => ({ kind: 'moved', key: movement.delivery_id, movement })),
  )
  const isOpen = (entry: Entry) => entry.kind === 'moved' || Date.parse(entry.knownUntil) < Date.parse(from)
  const known = { ...log, shown: log.shown.filter(isOpen), waiting: log.waiting.filter(isOpen) }
  if (!log.isPaused) return { ...known, shown: byTime([...known.shown, ...fresh]).slice(0, KEPT) }
  return wait(known, byTime([...known.waiting, ...fresh]), fresh)
}

function wait(log: MovementLog, waiting: readonly Entry[], fresh: readonly Entry[]): MovementLog {
  const movements = fresh.filter(({ kind }) => kind === 'moved').length
  return {
    ...log,
    waiting: waiting.slice(0, KEPT),
    waitingMovements: log.waitingMovements + movements,
  }
}

function unknownOf(log: MovementLog, entries: readonly Entry[]): Entry[] {
  const known = new Set([...log.shown, ...log.waiting].map(({ key }) => key))
  return entries.filter(({ key }) => !known.has(key) && known.add(key))
}

const timeOf = (entry: Entry) => Date.parse(entry.kind === 'gap' ? entry.at : entry.movement.occurred_at)
const byTime = (entries: readonly Entry[]) => entries.toSorted((a, b) => timeOf(b) - timeOf(a))

export const pause = (log: MovementLog): MovementLog => ({ ...log, isPaused: true })

export const resume = (log: MovementLog): MovementLog => ({
  ...emptyLog,
  shown: [...log.waiting, ...log.shown].slice(0, KEPT),
})

/** Matches the asset or a location. A gap always matches. */
export function matches(entry: Entry, text: string): boolean {
  const wanted = text.trim()
  if (wanted === '' || entry.kind === 'gap') return true
  const { asset, from_location, to_location } = entry.movement
  return [asset.name, asset.external_key, from_location?.name ?? '', to_location.name].some((value) =>
    contains(value, wanted),
  )
}
