import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { DAY_MS, dayOf, microsecondsOf, type Day } from '../../positions/packed/day-rows.ts'
import { findSeenSince, firstMovement, rowsBeforeDay, rowsOfDay, type Row } from './day-rows.queries.ts'
import { fits, type StayFilter, type StayPage } from './pages.ts'
import type { Source, Stay } from './stays.ts'
import { byStart } from './step.ts'
import { lastSteps } from './steps.queries.ts'

const DAY_US = DAY_MS * 1_000
/** Rows that a page reads. If few visits match, it ends early. */
const MOST_ROWS = 300_000

type Silence = { maxUs: number; nowUs: number }

/** How a stay ends: shared by all rows of the stay, so that what is found out later holds for each. */
type Ending = { lastSeen: number; end: number | undefined; isSilent: boolean; isKnown: boolean }
type Seen = { at: number; place: number | undefined; ending: Ending }

/**
 * The newest stays of which a pause longer than `maxUs` is the end. Such a stay can begin with any row, so days of history are read one
 * after the other, the newest first. Where a stay goes on after the first of these days, the days after it are read too.
 */
export async function pageOfSilentStays(
  source: Source,
  filter: StayFilter,
  { limit, ...silence }: Silence & { limit: number },
): Promise<StayPage> {
  const { db, orgId } = source
  const oldest = filter.assetIds?.length === 0 ? undefined : await firstMovement(db, orgId)
  const stays: Stay[] = []
  if (oldest === undefined) return { stays, after: undefined }
  const newest = Math.min(
    silence.nowUs + DAY_US,
    filter.after?.at ?? Infinity,
    filter.to === undefined ? Infinity : microsecondsOf(filter.to),
  )
  const firstDay = dayOf(newest / 1_000)
  const spanning = await spanningAssets(source, filter, silence)
  const sweep = new Sweep(source, silence, firstDay)
  for (let day = firstDay; day >= dayOf(oldest / 1_000); day -= 1) {
    const isBefore = filter.isOpen === true || isBeforeDay(filter.from, day)
    if (isBefore && spanning?.size === 0) break
    const found = await sweep.startsOf(day, isBefore ? [...(spanning ?? [])] : filter.assetIds)
    const wanted = found.filter((start) => isWanted(start, filter))
    await sweep.followToEnd(wanted)
    for (const stay of wanted.map(stayOf).toSorted(byStart)) {
      if (fits(filter, stay)) stays.push(stay)
      if (isOlder(stay, filter)) spanning?.delete(stay.assetId)
    }
    if (stays.length > limit) break
    if (sweep.rows >= MOST_ROWS && day > dayOf(oldest / 1_000))
      return { stays, after: { at: day * DAY_US, assetId: 0 } }
  }
  const page = stays.slice(0, limit)
  return { stays: page, after: stays.length > limit ? page.at(-1) : undefined }
}

/** Whether no other stay of the asset can span `from`, or be open. */
const isOlder = ({ at }: Stay, { from, isOpen }: StayFilter) =>
  isOpen === true || (from !== undefined && at < microsecondsOf(from))

const isBeforeDay = (from: string | undefined, day: Day) =>
  from !== undefined && (day + 1) * DAY_US <= microsecondsOf(from)

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
  rows = 0
  readonly #source: Source
  readonly #silence: Silence
  readonly #firstDay: Day
  /** The first row of each asset after the day that is read. */
  readonly #next = new Map<number, Seen>()

  constructor(source: Source, silence: Silence, firstDay: Day) {
    this.#source = source
    this.#silence = silence
    this.#firstDay = firstDay
  }

  /** The stays that begin on a day. Days are read from the newest on, without a gap. */
  async startsOf(day: Day, assetIds: readonly number[] | undefined): Promise<Start[]> {
    const { db, orgId } = this.#source
    const found = await rowsOfDay(db, orgId, day, assetIds)
    const before = await rowsBeforeDay(db, orgId, day, [...found.keys()])
    const starts: Start[] = []
    await inSlices([...found], ([assetId, rows]) => {
      this.rows += rows.length
      for (let i = rows.length - 1; i >= 0; i -= 1) {
        const row = rows[i] as Row
        const seen = this.#see(assetId, row)
        this.#next.set(assetId, seen)
        const previous = rows[i - 1] ?? before.get(assetId)
        if (seen.place !== undefined && !this.#goesOn(previous, row))
          starts.push({ assetId, place: seen.place, at: row.at, ending: seen.ending })
      }
    })
    return starts
  }

  #placeOf({ location_id }: Row): number | undefined {
    return location_id === null ? undefined : this.#source.places.placeOf(location_id)
  }

  #goesOn(previous: Row | undefined, row: Row): boolean {
    return (
      previous !== undefined &&
      this.#placeOf(previous) === this.#placeOf(row) &&
      row.at - previous.at <= this.#silence.maxUs
    )
  }

  #see(assetId: number, row: Row): Seen {
    const place = this.#placeOf(row)
    const next = this.#next.get(assetId)
    const ending = { lastSeen: row.at, end: undefined, isSilent: false, isKnown: false }
    if (!next) return { at: row.at, place, ending }
    if (next.at - row.at > this.#silence.maxUs) return { at: row.at, place, ending: silent(row.at) }
    if (next.place === place) return { at: row.at, place, ending: next.ending }
    return { at: row.at, place, ending: { ...ending, end: next.at, isKnown: true } }
  }

  /** Finds the ends of stays that go on after the first day, day by day. */
  async followToEnd(starts: readonly Start[]): Promise<void> {
    const { db, orgId } = this.#source
    const { maxUs, nowUs } = this.#silence
    let pending = starts.filter(({ ending }) => !ending.isKnown)
    for (let day = this.#firstDay + 1; pending.length > 0 && day * DAY_US <= nowUs + DAY_US; day += 1) {
      const ids = [...new Set(pending.map(({ assetId }) => assetId))]
      const found = await rowsOfDay(db, orgId, day, ids)
      for (const { assetId, place, ending } of pending)
        for (const row of found.get(assetId) ?? []) {
          if (ending.isKnown) break
          this.#follow(ending, place, row)
        }
      for (const { ending } of pending)
        if (!ending.isKnown && (day + 1) * DAY_US - ending.lastSeen > maxUs && (day + 1) * DAY_US <= nowUs)
          Object.assign(ending, silent(ending.lastSeen))
      pending = pending.filter(({ ending }) => !ending.isKnown)
    }
    for (const { ending } of pending)
      Object.assign(ending, nowUs - ending.lastSeen > maxUs ? silent(ending.lastSeen) : { isKnown: true })
  }

  #follow(ending: Ending, place: number, row: Row): void {
    if (row.at <= ending.lastSeen) return
    if (row.at - ending.lastSeen > this.#silence.maxUs) Object.assign(ending, silent(ending.lastSeen))
    else if (this.#placeOf(row) === place) ending.lastSeen = row.at
    else Object.assign(ending, { end: row.at, isKnown: true })
  }
}

const silent = (lastSeen: number): Ending => ({ lastSeen, end: lastSeen, isSilent: true, isKnown: true })
