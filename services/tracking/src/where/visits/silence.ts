import { inSlices } from '@whereabouts/service-kit/limits/slices'
import type { Stretch } from '../../positions/packed/day-codec.ts'
import { dayOf, microsecondsOf } from '../../positions/packed/day-rows.ts'
import { fits, type StayFilter, type StayPage } from './pages.ts'
import { DAY_US, MINUTE_US, readForward, readPart, type Part } from './parts.ts'
import type { Source, Stay } from './stays.ts'
import { byStart } from './step.ts'
import { lastSteps } from './steps.queries.ts'
import { findSeenAssets, findSeenSince, firstMovement, lastOfPackedDays } from './stretches.queries.ts'

/** Rows that a page reads. If few visits match, it ends early. */
const MOST_ROWS = 300_000
/** Stays that are followed to their ends at a time. */
const AT_ONCE = 50

type Silence = { maxUs: number; nowUs: number; mostRows: number }

/** How a stay ends: shared by all rows of the stay, so that what is found out later holds for each. */
type Ending = { lastSeen: number; end: number | undefined; isSilent: boolean; isKnown: boolean }
type Seen = { at: number; place: number | undefined; ending: Ending }

/**
 * The newest stays of which a pause longer than `maxUs` is the end. Such a stay can begin with any row, so parts of history are
 * read one after the other, the newest first. Where a stay goes on after the first of these parts, what comes after it is read too.
 */
export async function pageOfSilentStays(
  source: Source,
  filter: StayFilter,
  { limit, ...rest }: Omit<Silence, 'mostRows'> & { limit: number; mostRows?: number },
): Promise<StayPage> {
  const silence = { mostRows: MOST_ROWS, ...rest }
  const { db, orgId } = source
  const first = filter.assetIds?.length === 0 ? undefined : await firstMovement(db, orgId)
  const stays: Stay[] = []
  if (first === undefined) return { stays, after: undefined }
  const oldest = Math.floor(first / MINUTE_US) * MINUTE_US
  const spanning = await spanningAssets(source, filter, silence)
  const all = filter.assetIds ?? (filter.isOpen === true ? [] : await findSeenAssets(db, orgId))
  const end = endOf(filter, silence)
  const sweep = new Sweep(source, silence, end)
  for (let to = end; to > oldest; to = sweep.from) {
    const isBefore =
      filter.isOpen === true || (filter.from !== undefined && to <= microsecondsOf(filter.from))
    if (isBefore && spanning?.size === 0) break
    const found = await sweep.startsOfPart(isBefore ? [...(spanning ?? [])] : all)
    const wanted = found.filter((start) => isWanted(start, filter)).toSorted(byStart)
    for (let i = 0; i < wanted.length && stays.length <= limit; i += AT_ONCE) {
      const some = wanted.slice(i, i + AT_ONCE)
      await sweep.followToEnd(some)
      for (const stay of some.map(stayOf)) {
        if (fits(filter, stay)) stays.push(stay)
        if (isOlder(stay, filter)) spanning?.delete(stay.assetId)
      }
      const isDone = stays.length > limit || i + AT_ONCE >= wanted.length
      if (sweep.followed >= silence.mostRows && !isDone) return { stays, after: some.at(-1) }
    }
    if (stays.length > limit) break
    if (sweep.rows + sweep.followed >= silence.mostRows && sweep.from > oldest)
      return { stays, after: { at: sweep.from, assetId: 0 } }
  }
  const page = stays.slice(0, limit)
  return { stays: page, after: stays.length > limit ? page.at(-1) : undefined }
}

/** The end of the minute in which the first stay of the page may begin. No stay is after a place with asset 0 at its instant. */
function endOf({ after, to }: StayFilter, { nowUs }: Silence): number {
  const newest = Math.min(
    nowUs + DAY_US,
    after ? after.at - (after.assetId === 0 ? 1 : 0) : Infinity,
    to === undefined ? Infinity : microsecondsOf(to),
  )
  return (Math.floor(newest / MINUTE_US) + 1) * MINUTE_US
}

/** Whether no other stay of the asset can span `from`, or be open. */
const isOlder = ({ at }: Stay, { from, isOpen }: StayFilter) =>
  isOpen === true || (from !== undefined && at < microsecondsOf(from))

const isWanted = (start: Start, { after, to }: StayFilter) =>
  (!after || byStart(after, start) < 0) && (to === undefined || start.at <= microsecondsOf(to))

/** Of which assets a stay may be open, or may have begun before `from`: one of each. */
async function spanningAssets(
  { db, orgId, places }: Source,
  { from, isOpen, assetIds }: StayFilter,
  { maxUs, nowUs }: Silence,
): Promise<Set<number> | undefined> {
  const isNamed = assetIds && new Set(assetIds)
  if (isOpen === true) {
    const ids = await findSeenSince(db, orgId, Math.floor((nowUs - maxUs) / 1_000))
    return new Set(ids.filter((id) => !isNamed || isNamed.has(id)))
  }
  if (from === undefined) return undefined
  const steps = await lastSteps(db, orgId, { before: from, assetIds, places })
  return new Set(steps.map(({ assetId }) => assetId))
}

type Start = { assetId: number; place: number; at: number; ending: Ending }

const stayOf = ({ assetId, place, at, ending: { end, lastSeen, isSilent } }: Start): Stay => ({
  assetId, place, at, end, lastSeen, isSilent,
}) // oxfmt-ignore

class Sweep {
  /** The start of what has been read. */
  from: number
  rows = 0
  followed = 0
  readonly #source: Source
  readonly #silence: Silence
  readonly #end: number
  #minutes = DAY_US / MINUTE_US
  /** The first row of each asset after `from`. */
  readonly #next = new Map<number, Seen>()

  constructor(source: Source, silence: Silence, end: number) {
    this.#source = source
    this.#silence = silence
    this.#end = end
    this.from = end
  }

  /** The stays that begin in the part before what has been read. */
  async startsOfPart(assetIds: readonly number[]): Promise<Start[]> {
    const options = { ...this.#silence, to: this.from, minutes: this.#minutes }
    const part = await readPart(this.#source, options, assetIds)
    this.from = part.from
    this.#minutes = 2 * part.minutes
    this.rows += part.read
    const before = await this.#lastBefore(part)
    const starts: Start[] = []
    await inSlices(part.stretches, ([assetId, stretches]) => {
      for (let i = stretches.length - 1; i >= 0; i -= 1) {
        const row = stretches[i] as Stretch
        if (row.last < part.from) break
        const seen = this.#see(assetId, row)
        this.#next.set(assetId, { ...seen, at: Math.max(seen.at, part.from) })
        const previous = stretches[i - 1] ?? before.get(assetId)
        if (row.at >= part.from && seen.place !== undefined && !this.#goesOn(previous, row))
          starts.push({ assetId, place: seen.place, at: row.at, ending: seen.ending })
      }
    })
    return starts
  }

  /** The last rows before the day of a part that its first stretches may go on from. */
  #lastBefore({ from, stretches }: Part): Promise<Map<number, Stretch>> {
    const { db, orgId } = this.#source
    const { maxUs } = this.#silence
    const day = dayOf(from / 1_000)
    const first = Array.from(stretches, ([assetId, [row]]) => ({ assetId, row }))
    const ids = first.filter(
      ({ row }) =>
        row && row.at >= from && row.at - day * DAY_US <= maxUs && this.#placeOf(row) !== undefined,
    )
    return lastOfPackedDays(db, orgId, { day, maxUs }, ids.map(({ assetId }) => assetId)) // oxfmt-ignore
  }

  #placeOf({ location_id }: Stretch): number | undefined {
    return location_id === null ? undefined : this.#source.places.placeOf(location_id)
  }

  #goesOn(previous: Stretch | undefined, row: Stretch): boolean {
    return (
      previous !== undefined &&
      this.#placeOf(previous) === this.#placeOf(row) &&
      row.at - previous.last <= this.#silence.maxUs
    )
  }

  #see(assetId: number, row: Stretch): Seen {
    const place = this.#placeOf(row)
    const next = this.#next.get(assetId)
    const ending = { lastSeen: row.last, end: undefined, isSilent: false, isKnown: false }
    if (!next) return { at: row.at, place, ending }
    if (next.at - row.last > this.#silence.maxUs) return { at: row.at, place, ending: silent(row.last) }
    if (next.place === place) return { at: row.at, place, ending: next.ending }
    return { at: row.at, place, ending: { ...ending, end: next.at, isKnown: true } }
  }

  /** Finds the ends of stays that go on after the first part. They are few, so that a step reads a bounded number of rows. */
  async followToEnd(starts: readonly Start[]): Promise<void> {
    const { maxUs, nowUs } = this.#silence
    let pending = starts.filter(({ ending }) => !ending.isKnown)
    for (let from = this.#end; pending.length > 0 && from <= nowUs + DAY_US;) {
      const ids = [...new Set(pending.map(({ assetId }) => assetId))]
      const { to, stretches, read } = await readForward(this.#source, { ...this.#silence, from }, ids)
      this.followed += read
      for (const { assetId, place, ending } of pending)
        for (const row of stretches.get(assetId) ?? []) {
          if (ending.isKnown) break
          this.#follow(ending, place, row)
        }
      for (const { ending } of pending)
        if (!ending.isKnown && to - ending.lastSeen > maxUs && to <= nowUs)
          Object.assign(ending, silent(ending.lastSeen))
      pending = pending.filter(({ ending }) => !ending.isKnown)
      from = to
    }
    for (const { ending } of pending)
      Object.assign(ending, nowUs - ending.lastSeen > maxUs ? silent(ending.lastSeen) : { isKnown: true })
  }

  #follow(ending: Ending, place: number, row: Stretch): void {
    if (row.last <= ending.lastSeen) return
    if (row.at - ending.lastSeen > this.#silence.maxUs) Object.assign(ending, silent(ending.lastSeen))
    else if (this.#placeOf(row) === place) ending.lastSeen = row.last
    else Object.assign(ending, { end: row.at, isKnown: true })
  }
}

const silent = (lastSeen: number): Ending => ({ lastSeen, end: lastSeen, isSilent: true, isKnown: true })
