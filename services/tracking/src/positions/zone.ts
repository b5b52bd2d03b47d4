import type { Observation } from './observation.ts'
import type { HeardPlace } from './evidence.ts'
import { holdMsOf, type PlacementRules } from './rules.ts'

export type Placed = Observation & { locationId: number }

/** Whether a read agrees with the current place, moves the asset to its place, or is set aside. */
export type Verdict = 'agrees' | 'moves' | 'outvoted'

type Judging = { rules: PlacementRules; isDeleted: (locationId: number) => boolean }

/**
 * The zone decision of one asset (D18.7): which of the places that hear it is the right one. A place counts with the
 * strength of its newest read, for the hold. Time is that of the reads, so that batches decide as live reads do.
 */
export class Zone {
  readonly #heard: Map<number, HeardPlace>
  readonly #marginDb: number
  readonly #holdMs: number
  readonly #isDeleted: Judging['isDeleted']

  constructor(heard: readonly HeardPlace[] = [], { rules, isDeleted }: Judging) {
    this.#heard = new Map(heard.map((place) => [place.place, Object.assign({}, place)]))
    this.#marginDb = rules.marginDb
    this.#holdMs = holdMsOf(rules)
    this.#isDeleted = isDeleted
  }

  /** To be stored. */
  heard(): HeardPlace[] {
    return [...this.#heard.values()]
  }

  /** `current`: the place decided last. */
  judge(read: Placed, current: number | null): Verdict {
    const isOld = this.#isOlder(read)
    const heard = this.#hear(read)
    if (read.locationId === current) return 'agrees'
    if (!read.isJudged || current === null || this.#isDeleted(current)) return this.#move()
    const strength = this.#strengthAt(current, read.observedAtMs)
    if (strength === 'silent') return this.#move()
    if (isOld) return 'outvoted'
    if (strength === null || read.rssi === null || read.rssi < strength + this.#marginDb) {
      delete heard.stronger_since
      return 'outvoted'
    }
    heard.stronger_since ??= read.observedAtMs
    return read.observedAtMs - heard.stronger_since >= APART_MS ? this.#move() : 'outvoted'
  }

  #move(): 'moves' {
    for (const heard of this.#heard.values()) delete heard.stronger_since
    return 'moves'
  }

  /** A read that is older than the newest one of its place does not count any more. */
  #isOlder({ locationId, observedAtMs }: Placed): boolean {
    return observedAtMs < (this.#heard.get(locationId)?.at ?? -Infinity)
  }

  #hear({ locationId: place, observedAtMs: at, rssi, isJudged }: Placed): HeardPlace {
    const heard = this.#heard.get(place) ?? { place, at, rssi }
    if (at >= heard.at) {
      heard.at = at
      heard.rssi = rssi
      this.#heard.delete(place)
      this.#heard.set(place, heard)
    }
    if (!isJudged) heard.fixed_at = Math.max(heard.fixed_at ?? -Infinity, at)
    this.#forget(at)
    return heard
  }

  /** The newest is last. */
  #forget(nowMs: number): void {
    for (const [place, heard] of this.#heard) {
      const isSilent = nowMs - heard.at > this.#holdMs && heard.stronger_since === undefined
      if (isSilent || this.#heard.size > MAX_HEARD) this.#heard.delete(place)
    }
  }

  /** In dBm at this instant; null for a place whose newest read has no strength. */
  #strengthAt(place: number, nowMs: number): number | null | 'silent' {
    const heard = this.#heard.get(place)
    if (heard === undefined) return 'silent'
    if (heard.fixed_at !== undefined && nowMs - heard.fixed_at <= this.#holdMs) return 0
    return nowMs - heard.at <= this.#holdMs ? heard.rssi : 'silent'
  }
}

/** Reads that are closer to each other count as one. */
const APART_MS = 1_000
/** Of the places that hear one asset. */
const MAX_HEARD = 16
