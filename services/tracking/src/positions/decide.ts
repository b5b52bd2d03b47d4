import { causeOf, NOT_READ } from './cause.ts'
import type { Minute, Observation } from './observation.ts'
import { addOutvoted, type Evidence, type LastRead, type Outvoted } from './evidence.ts'
import { isMovement, type Position } from './position.ts'
import { holdMsOf, isJudging, type PlacementRules } from './rules.ts'
import { Zone, type Placed, type Verdict } from './zone.ts'

/** What an asset's reads become. */
export type Decided = {
  /** Rows of minutes that may have none. The store keeps a row that is there and has a location. */
  rows: Observation[]
  /** Replaces the newest stored row, which is at the former place and no movement itself. */
  replaced: Observation | undefined
  /** After the rows. */
  evidence: Evidence | null
  /** What was set aside in the minute of the position, if a later minute follows. */
  closed: Closed | undefined
  /** Reads that moved nothing because another place was stronger. */
  outvoted: Observation[]
}

type Closed = { minute: Minute; outvoted: Outvoted[] }

/** What decides, besides the reads and the position. */
export type Circumstances = {
  rules: PlacementRules
  isDeleted: (locationId: number) => boolean
  /** Milliseconds since 1970. */
  nowMs: number
  /** The stored row of this minute or the nearest one before it. Only asked with the zone decision, for late reads. */
  rowBefore: (minute: Minute) => RowBefore | undefined
}

export type RowBefore = { minute: Minute; observedAtMs: number; locationId: number | null }

/**
 * What decides a position (docs/positions.md), without I/O: the reads of one asset, in the order of arrival, and its
 * locked position. A minute keeps its first location (D8.1). Another place that is read last in the minute waits (D18.3).
 * With the zone decision, a read moves the asset only if its place is clearly stronger or the current one is silent
 * (D18.7). Reads of minutes before the newest row only fill history (D8.7).
 */
export function decide(
  position: Position | undefined,
  reads: readonly Observation[],
  circumstances: Circumstances,
): Decided {
  const deciding = new Deciding(position, circumstances)
  for (const read of reads) deciding.take(read)
  return deciding.decided()
}

class Deciding {
  readonly #with: Circumstances
  readonly #holdMs: number
  readonly #zone: Zone | undefined
  /** By minute. */
  readonly #rows = new Map<Minute, Observation>()
  #replaced: Observation | undefined
  #closed: Closed | undefined
  readonly #setAside: Observation[] = []

  // The newest row, with what was read beyond it.
  #minute: Minute
  #observedAtMs: number
  #locationId: number | null
  #isMovement: boolean
  /** The last read of the newest minute. Not kept if all its reads were at the place of its row. */
  #last: LastRead | undefined
  #isLastKept: boolean
  #outvoted: Outvoted[]

  constructor(position: Position | undefined, circumstances: Circumstances) {
    this.#with = circumstances
    this.#holdMs = holdMsOf(circumstances.rules)
    this.#minute = position?.minute ?? -Infinity
    this.#observedAtMs = position?.observedAtMs ?? -Infinity
    this.#locationId = position?.locationId ?? null
    this.#isMovement = position !== undefined && isMovement(position)
    const evidence = position?.evidence
    const ofMinute = evidence?.minute === position?.minute ? evidence : undefined
    this.#last = ofMinute?.last
    this.#isLastKept = this.#last !== undefined
    this.#outvoted = ofMinute?.outvoted ?? []
    this.#zone = isJudging(circumstances.rules) ? new Zone(evidence?.heard, circumstances) : undefined
  }

  take(read: Observation): void {
    if (read.minute < this.#minute) this.#takeLate(read)
    else if (!isPlaced(read)) this.#takeUnplaced(read)
    else if (read.minute === this.#minute) this.#takeOfMinute(read)
    else this.#takeNewMinute(read)
  }

  decided(): Decided {
    return {
      rows: [...this.#rows.values()],
      replaced: this.#replaced,
      evidence: this.#evidence(),
      closed: this.#closed,
      outvoted: this.#setAside,
    }
  }

  #evidence(): Evidence | null {
    const isLastKept = this.#last !== undefined && this.#isLastKept
    const heard = this.#zone?.heard() ?? []
    if (!isLastKept && heard.length === 0 && this.#outvoted.length === 0) return null
    const evidence: Evidence = { minute: this.#minute }
    if (this.#last !== undefined && isLastKept) evidence.last = this.#last
    if (heard.length > 0) evidence.heard = heard
    if (this.#outvoted.length > 0) evidence.outvoted = this.#outvoted
    return evidence
  }

  /** The place decided last, which may wait to be in a row. */
  get #current(): number | null {
    return this.#last?.place ?? this.#locationId
  }

  #takeUnplaced(read: Observation): void {
    if (read.minute > this.#minute) this.#startMinute(read)
  }

  #takeNewMinute(read: Placed): void {
    const current = this.#current
    const verdict = this.#judge(read)
    if (verdict !== 'outvoted' || current === null) return this.#startMinute(read)
    this.#startMinute(seenAt(current, read))
    this.#outvoted = [outvotedOf(read)]
    this.#setAside.push(read)
  }

  /** A later minute: what waited, waits no longer. */
  #startMinute(row: Observation): void {
    if (row.minute > this.#minute) this.#closeMinute()
    this.#rows.set(row.minute, row)
    this.#isMovement = row.locationId !== null && row.locationId !== this.#locationId
    this.#minute = row.minute
    this.#observedAtMs = row.observedAtMs
    this.#locationId = row.locationId
    this.#last = undefined
    this.#isLastKept = false
    this.#outvoted = []
  }

  #closeMinute(): void {
    if (this.#outvoted.length === 0) return
    const row = this.#rows.get(this.#minute)
    if (row) this.#rows.set(row.minute, { ...row, outvoted: this.#outvoted })
    else this.#closed = { minute: this.#minute, outvoted: this.#outvoted }
  }

  #takeOfMinute(read: Placed): void {
    const verdict = this.#judge(read)
    if (verdict === 'outvoted') {
      this.#outvoted = addOutvoted(this.#outvoted, outvotedOf(read))
      this.#setAside.push(read)
    } else if (this.#locationId === null) this.#place(read)
    else if (verdict === 'moves' && this.#mayReplace(read)) this.#replace(read)
    else this.#noteLast(read)
  }

  /** The row of the minute had no location. */
  #place(read: Placed): void {
    this.#startMinute(read)
    this.#isMovement = true
  }

  #mayReplace({ locationId, observedAtMs }: Placed): boolean {
    const waits = this.#last !== undefined && this.#last.place !== this.#locationId
    return (
      !this.#isMovement && !waits && locationId !== this.#locationId && observedAtMs >= this.#observedAtMs
    )
  }

  #replace(read: Placed): void {
    if (this.#rows.has(read.minute)) this.#rows.set(read.minute, read)
    else this.#replaced = read
    this.#observedAtMs = read.observedAtMs
    this.#locationId = read.locationId
    this.#isMovement = true
    this.#last = undefined
    this.#isLastKept = false
    this.#outvoted = this.#outvoted.filter(({ place }) => place !== read.locationId)
  }

  /** Of equal times the later arrival is last. */
  #noteLast(read: Placed): void {
    const { observedAtMs: at, locationId: place } = read
    if (at < (this.#last?.at ?? this.#observedAtMs)) return
    // A repeated message changes nothing.
    if (at === this.#last?.at && place === this.#last.place) return
    this.#last = {
      at,
      place,
      received: this.#with.nowMs,
      ...(read.isLate && { is_late: true as const }),
      cause: place === this.#locationId ? NOT_READ : causeOf(read),
    }
    this.#isLastKept ||= place !== this.#locationId
  }

  #takeLate(read: Observation): void {
    const inBatch = this.#rows.get(read.minute)
    if (inBatch && (inBatch.locationId !== null || read.locationId === null)) {
      if (this.#isJudged(read) && inBatch.locationId !== read.locationId) this.#setAside.push(read)
      return
    }
    if (!isPlaced(read) || !this.#isJudged(read)) return void this.#rows.set(read.minute, read)
    const before = this.#rowBefore(read.minute)
    const place = before?.locationId ?? null
    const isFree = before === undefined || read.observedAtMs - before.observedAtMs > this.#holdMs
    if (place === null || place === read.locationId || isFree) return void this.#rows.set(read.minute, read)
    this.#setAside.push(read)
    if (before.minute < read.minute) this.#rows.set(read.minute, seenAt(place, read))
  }

  /** Of the stored rows and those of these reads. */
  #rowBefore(minute: Minute): RowBefore | undefined {
    let nearest = this.#with.rowBefore(minute)
    for (const row of this.#rows.values())
      if (row.minute <= minute && (nearest === undefined || row.minute > nearest.minute)) nearest = row
    return nearest
  }

  #judge(read: Placed): Verdict {
    return this.#zone?.judge(read, this.#current) ?? 'agrees'
  }

  #isJudged(read: Observation): boolean {
    return this.#zone !== undefined && read.isJudged
  }
}

const isPlaced = (read: Observation): read is Placed => read.locationId !== null

/** The row of a read that was set aside: the asset was seen, and is where it was. */
const seenAt = (locationId: number, read: Placed): Observation => ({
  ...read,
  locationId,
  locationKey: null,
  scanPointId: null,
  outvoted: [outvotedOf(read)],
})

const outvotedOf = ({ locationId, readerKey, rssi }: Placed): Outvoted => ({
  place: locationId,
  reader_key: readerKey ?? '',
  rssi,
  reads: 1,
})
