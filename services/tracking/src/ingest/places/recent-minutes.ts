import { waitingOf } from '../../positions/evidence.ts'
import type { Position } from '../../positions/position.ts'
import type { Observation } from '../../positions/observation.ts'

const MAX_ASSETS = 1_000_000
/** For how long a place that another replica heard is remembered for assets that are not known here yet. */
const HEARD_MS = 120_000

/** The newest row of an asset, and the last read of its minute as far as this process knows. Small: there may be millions. */
type Recent = {
  minute: number
  /** Of the row. */
  locationId: number | null
  /** Milliseconds of the minute. */
  lastMs: number
  /** Set if the store has to know each newer read: another place was heard, or strengths decide. */
  open: { place: number | null; rssi: number | null } | null
}

type Read = Pick<Observation, 'assetId' | 'minute' | 'observedAtMs' | 'locationId' | 'rssi'>

/** An asset that was heard at another place than that of its row, by any replica. */
export type HeardElsewhere = {
  orgId: number
  assetId: number
  minute: number
  /** Of its last read there; null for a row that no read made. */
  at: number | null
}

/**
 * The newest rows of assets, so that rescans within a minute cost no statement. It is only a hint: a missing entry costs a
 * statement that changes nothing.
 *
 * A read that it drops may still be the last of its minute. So a replica that stores a read at another place tells the
 * others (`heardElsewhere`), and those that dropped a later one store that too.
 */
export class RecentMinutes {
  readonly #newest = new Map<number, Recent>()
  readonly #heardElsewhere = new Map<number, { minute: number; notedMs: number }>()

  /**
   * Whether a read changes nothing that is stored. `isJudging`: strengths decide in its organization. Called for every read,
   * so nothing is made for it.
   */
  isStored(
    assetId: number,
    observedAtMs: number,
    locationId: number | null,
    rssi: number | null,
    isJudging: boolean,
  ): boolean {
    const newest = this.#newest.get(assetId)
    if (newest === undefined) return false
    const ms = observedAtMs - newest.minute * 60_000
    if (ms < 0 || ms >= 60_000) return false
    if (locationId === null) return true
    if (newest.locationId === null) return false
    const { open } = newest
    if (open !== null || isJudging) {
      if (open === null || (isJudging && locationId !== open.place)) return false
      return ms < newest.lastMs || (ms === newest.lastMs && locationId === open.place && rssi === open.rssi)
    }
    if (ms < newest.lastMs) return true
    if (locationId !== newest.locationId) return false
    newest.lastMs = ms
    return true
  }

  /** Call after the commit: a batch that rolled back is redelivered and must not be skipped. */
  add(positions: readonly (Position & { lastAtMs?: number | undefined })[]): void {
    if (this.#newest.size > MAX_ASSETS) this.#newest.clear()
    for (const position of positions) {
      const { assetId, minute } = position
      const known = this.#newest.get(assetId)
      if (known && known.minute > minute) continue
      const recent = toRecent(position)
      recent.lastMs = Math.max(recent.lastMs, (position.lastAtMs ?? 0) - minute * 60_000)
      // Commits of one process may be reported in another order.
      if (known?.minute === minute) recent.lastMs = Math.max(recent.lastMs, known.lastMs)
      const isHeard = this.#heardElsewhere.get(assetId)?.minute === minute
      if (isHeard || (known?.minute === minute && known.open !== null))
        recent.open ??= { place: recent.locationId, rssi: null }
      this.#newest.set(assetId, recent)
    }
  }

  /**
   * Another replica stored something else than a read at the row's place. From now on, the store gets each newer read of that
   * minute. If this process dropped a later one, returns it, to be stored.
   */
  heardElsewhere({ assetId, minute, at }: HeardElsewhere, nowMs: number): Read | undefined {
    for (const [id, { notedMs }] of this.#heardElsewhere) {
      if (nowMs - notedMs < HEARD_MS) break
      this.#heardElsewhere.delete(id)
    }
    this.#heardElsewhere.delete(assetId)
    this.#heardElsewhere.set(assetId, { minute, notedMs: nowMs })
    const newest = this.#newest.get(assetId)
    if (newest?.minute !== minute || newest.open !== null) return undefined
    const { locationId, lastMs } = newest
    newest.open = { place: locationId, rssi: null }
    const observedAtMs = minute * 60_000 + lastMs
    return locationId !== null && at !== null && observedAtMs > at
      ? { assetId, minute, observedAtMs, locationId, rssi: null }
      : undefined
  }

  /**
   * Whether the minute of the read has its row, and another place was stored for it. Then only the last such read of the
   * minute matters. If so, the read counts as known.
   */
  isOnlyPerhapsLast({ assetId, minute, observedAtMs, locationId }: Observation): boolean {
    const newest = this.#newest.get(assetId)
    if (newest?.minute !== minute || newest.open === null) return false
    if (newest.locationId === null || locationId === null) return false
    const ms = observedAtMs - minute * 60_000
    if (ms < newest.lastMs) return true
    newest.lastMs = ms
    newest.open = { place: locationId, rssi: null }
    return true
  }

  /** Whether a row of a later minute is known to be stored. */
  isPassed({ assetId, minute }: Observation): boolean {
    return (this.#newest.get(assetId)?.minute ?? -Infinity) > minute
  }

  /** Its rows were erased. */
  forget(assetId: number): void {
    this.#newest.delete(assetId)
  }

  /** Call if `heardElsewhere` may have been missed. */
  clear(): void {
    this.#newest.clear()
  }
}

function toRecent(position: Position): Recent {
  const { minute, locationId, evidence, observedAtMs } = position
  const zero = minute * 60_000
  const last = evidence?.minute === minute ? evidence.last : undefined
  const heard = evidence?.heard?.find(({ place }) => place === locationId)
  if (heard !== undefined && waitingOf(position) === null)
    return { minute, locationId, lastMs: heard.at - zero, open: { place: locationId, rssi: heard.rssi } }
  if (last !== undefined)
    return { minute, locationId, lastMs: last.at - zero, open: { place: last.place, rssi: null } }
  return { minute, locationId, lastMs: observedAtMs - zero, open: null }
}
