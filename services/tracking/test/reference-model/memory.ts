import type { PlacementRules } from '../../src/positions/rules.ts'
import type { Read, Row } from './reference.ts'

type Rows = Map<number, Row>
type Heard = { at: number; rssi: number | null; savedAt: number | null; strongSince: number | null }

const minuteOf = (at: number) => Math.floor(at / 60_000)

/** The rules of D18.3 and D18.7 for one asset, read by read, as the rule book states them. Instants in milliseconds. */
export class Memory {
  readonly #rules: PlacementRules
  // Not private, so that `inspect` tells two memories apart.
  /** The last read of the newest minute, or the save. */
  last: { at: number; place: number } | undefined
  heard = new Map<number, Heard>()

  constructor(rules: PlacementRules) {
    this.#rules = rules
  }

  copy(): Memory {
    const copy = new Memory(this.#rules)
    copy.last = this.last && { ...this.last }
    copy.heard = structuredClone(this.heard)
    return copy
  }

  /** Stores the read in `rows`, if it becomes one. */
  take(rows: Rows, read: Read, isDeleted: (place: number) => boolean): void {
    const minute = minuteOf(read.at)
    const newest = Math.max(...rows.keys())
    const { place } = read
    if (minute < newest) return this.#takeLate(rows, read)
    const inMinute = rows.get(minute)
    if (place === null) {
      if (!inMinute) this.#write(rows, minute, { at: read.at, place, by: 'reader' })
      return
    }
    const current = this.last?.place ?? rows.get(newest)?.place ?? null
    const verdict = this.#verdict(current, { ...read, place }, isDeleted)
    if (!inMinute)
      return this.#write(rows, minute, {
        at: read.at,
        place: verdict === 'outvoted' ? current : place,
        by: 'reader',
      })
    if (verdict === 'outvoted') return
    if (inMinute.place === null) return this.#write(rows, minute, { at: read.at, place, by: 'reader' })
    if (read.at < (this.last?.at ?? inMinute.at)) return
    const before = rows.get(Math.max(...[...rows.keys()].filter((other) => other < minute)))
    const isMovement = (before?.place ?? null) !== inMinute.place
    const isWaiting = this.last !== undefined && this.last.place !== inMinute.place
    if (verdict === 'moves' && !isMovement && !isWaiting && place !== inMinute.place)
      this.#write(rows, minute, { at: read.at, place, by: 'reader' })
    else this.last = { at: read.at, place }
  }

  save(at: number, place: number): void {
    this.last = undefined
    for (const heard of this.heard.values()) heard.strongSince = null
    if (this.#isJudging) this.heard.set(place, { at, rssi: null, savedAt: at, strongSince: null })
  }

  /** The place that waits, with the next minute. */
  waits(rows: Rows): { minute: number; place: number; at: number } | undefined {
    const newest = Math.max(...rows.keys())
    if (!this.last || this.last.place === rows.get(newest)?.place) return undefined
    return { minute: newest + 1, ...this.last }
  }

  carries(rows: Rows): { minute: number; place: number } | undefined {
    const waiting = this.#rules.passages === 'carry' ? this.waits(rows) : undefined
    if (waiting) this.last = undefined
    return waiting
  }

  get #isJudging(): boolean {
    return this.#rules.marginDb > 0 || this.#rules.exitDelaySeconds > 0
  }

  get #holdMs(): number {
    return Math.max(60, this.#rules.exitDelaySeconds) * 1_000
  }

  #write(rows: Rows, minute: number, row: Row): void {
    rows.set(minute, row)
    this.last = undefined
  }

  #takeLate(rows: Rows, { at, place, isJudged }: Read): void {
    const minute = minuteOf(at)
    const there = rows.get(minute)
    if (there && (there.place !== null || place === null)) return
    const earlier = [...rows.keys()].filter((other) => other <= minute)
    const before = earlier.length > 0 ? rows.get(Math.max(...earlier)) : undefined
    const isOutvoted =
      this.#isJudging &&
      isJudged &&
      place !== null &&
      before !== undefined &&
      before.place !== null &&
      before.place !== place &&
      at - before.at <= this.#holdMs
    rows.set(minute, { at, place: isOutvoted ? before.place : place, by: 'reader' })
  }

  #verdict(
    current: number | null,
    { at, place, rssi, isJudged }: Read & { place: number },
    isDeleted: (place: number) => boolean,
  ): 'agrees' | 'moves' | 'outvoted' {
    if (!this.#isJudging) return 'agrees'
    const known = this.heard.get(place)
    const isOld = known !== undefined && at < known.at
    const heard = known ?? { at, rssi, savedAt: null, strongSince: null }
    if (!isOld) Object.assign(heard, { at, rssi })
    if (!isJudged) heard.savedAt = Math.max(heard.savedAt ?? -Infinity, at)
    this.heard.set(place, heard)
    if (place === current) return 'agrees'
    const there = current === null ? undefined : this.heard.get(current)
    const isSaved = there?.savedAt != null && at - there.savedAt <= this.#holdMs
    const isHeard = there !== undefined && (isSaved || at - there.at <= this.#holdMs)
    if (!isJudged || current === null || isDeleted(current) || !isHeard) return this.#move()
    if (isOld) return 'outvoted'
    const strength = isSaved ? 0 : there.rssi
    if (strength === null || rssi === null || rssi < strength + this.#rules.marginDb) {
      heard.strongSince = null
      return 'outvoted'
    }
    heard.strongSince ??= at
    return at - heard.strongSince >= 1_000 ? this.#move() : 'outvoted'
  }

  #move(): 'moves' {
    for (const heard of this.heard.values()) heard.strongSince = null
    return 'moves'
  }
}
