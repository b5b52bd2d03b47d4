import { microsecondsOf } from '../../positions/packed/day-rows.ts'
import type { Place } from '../movements/cursor.ts'
import { staysFrom, startsOf, type Source, type Stay } from './stays.ts'
import { byStart, type Step } from './step.ts'
import { lastSteps, newestDwells, newestSteps } from './steps.queries.ts'

/** Instants of `parseInstant`. */
export type StayFilter = {
  from?: string | undefined
  to?: string | undefined
  assetIds?: readonly number[] | undefined
  minSeconds?: number | undefined
  isOpen?: boolean | undefined
  after?: Place | undefined
}

/** `after` is where the next page goes on; undefined if there is none. */
export type StayPage = { stays: Stay[]; after: Place | undefined }

/** Movements that a page reads. If few of them match, it ends early. */
const MOST_READ = 20_000
const MOST_AT_ONCE = 5_000

/** The newest stays that match. Ends are looked up for as few as the page needs. */
export async function pageOfStays(source: Source, filter: StayFilter, limit: number): Promise<StayPage> {
  if (filter.assetIds?.length === 0) return { stays: [], after: undefined }
  const page = new Page(source, filter, limit)
  if (filter.isOpen === true) {
    if (await addOpen(page, source, filter, limit)) return page.result()
    const walked = new Page(source, filter, limit)
    await addNewest(walked, source, { ...filter, from: undefined }, limit)
    return walked.result()
  }
  if (!isBefore(filter.after, filter.from)) await addNewest(page, source, filter, limit)
  if (filter.from !== undefined && !page.isFull) await addLasting(page, source, filter, filter.from, limit)
  return page.result()
}

const isBefore = (after: Place | undefined, from: string | undefined) =>
  after !== undefined && from !== undefined && after.at < microsecondsOf(from)

async function addNewest(page: Page, { db, orgId, places }: Source, filter: StayFilter, limit: number) {
  let { after } = filter
  let read = 0
  for (let size = limit + 1; !page.isFull; size = MOST_AT_ONCE) {
    const slice = await newestSteps(db, orgId, { ...filter, after, places }, size)
    await page.add(slice.steps)
    read += slice.read
    after = slice.last
    if (slice.read < size) return
    if (read >= MOST_READ) return page.endAt(after)
  }
}

/** Stays that had begun before `from`, and had not ended. The last ones that began are likely to last, so these come first. */
async function addLasting(page: Page, source: Source, filter: StayFilter, from: string, limit: number) {
  const { db, orgId, places } = source
  const { assetIds, to } = filter
  const after = isBefore(filter.after, from) ? filter.after : { at: microsecondsOf(from), assetId: 0 }
  const size = 2 * (limit + 1)
  const slice = await newestSteps(db, orgId, { assetIds, places, to, after }, size)
  await page.add(slice.steps)
  if (page.isFull || slice.read < size) return
  const rest = { ...filter, from: undefined, after: slice.last }
  const starts = await startsOf(source, await lastSteps(db, orgId, { assetIds, places, before: from }))
  if (starts) await page.addSorted(starts, slice.last)
  else await addNewest(page, source, rest, limit)
}

/**
 * Stays that last began at the dwell of a position, or before it, at another location of the place: so a stay is next if it
 * began after the dwells that have not been read. Resolves with false if too many movements are between.
 */
async function addOpen(page: Page, source: Source, filter: StayFilter, limit: number): Promise<boolean> {
  const { db, orgId, places } = source
  const { assetIds, to } = filter
  const range = places.isDeep ? {} : { to, after: filter.after }
  let last: Step | undefined
  let starts: Step[] = []
  for (let size = limit + 1; !page.isFull; size = MOST_AT_ONCE) {
    const dwells = await newestDwells(
      db,
      orgId,
      { ...range, assetIds, places, ...(last && { after: last }) },
      size,
    )
    const isAll = dwells.length < size
    last = dwells.at(-1) ?? last
    const found = places.isDeep ? await startsIn(source, dwells) : dwells
    if (!found) return false
    starts.push(...found)
    const isNext = (start: Step) => isAll || (last !== undefined && byStart(start, last) <= 0)
    await page.addSorted(starts.filter(isNext), filter.after)
    if (isAll) return true
    starts = starts.filter((start) => !isNext(start))
  }
  return true
}

async function startsIn(source: Source, dwells: readonly Step[]): Promise<Step[] | undefined> {
  const { db, orgId, places } = source
  const assetIds = dwells.map(({ assetId }) => assetId)
  return startsOf(source, await lastSteps(db, orgId, { assetIds, places }))
}

/** Takes starts of stays in the order of pages, until it has more than its limit. */
class Page {
  readonly #source: Source
  readonly #filter: StayFilter
  readonly #limit: number
  readonly #stays: Stay[] = []
  #end: Place | undefined

  constructor(source: Source, filter: StayFilter, limit: number) {
    this.#source = source
    this.#filter = filter
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.#stays.length > this.#limit || this.#end !== undefined
  }

  endAt(place: Place | undefined): void {
    this.#end = place && { at: place.at, assetId: place.assetId }
  }

  async add(starts: readonly Step[]): Promise<void> {
    const stays = await staysFrom(this.#source, starts)
    this.#stays.push(...stays.filter((stay) => fits(this.#filter, stay)))
  }

  /** Those after a place in the order of pages. */
  async addSorted(starts: readonly Step[], after: Place | undefined): Promise<void> {
    const { to } = this.#filter
    const last = to === undefined ? Infinity : microsecondsOf(to)
    const wanted = starts
      .filter((start) => start.at <= last && (!after || byStart(after, start) < 0))
      .toSorted(byStart)
    for (let i = 0, size = this.#limit + 1; i < wanted.length && !this.isFull; i += size) {
      if (i >= MOST_READ) return this.endAt(wanted[i - 1])
      await this.add(wanted.slice(i, i + size))
    }
  }

  result(): StayPage {
    const stays = this.#stays.slice(0, this.#limit)
    return { stays, after: this.#stays.length > this.#limit ? stays.at(-1) : this.#end }
  }
}

/** Whether a stay that began early enough is wanted. */
export function fits({ from, minSeconds = 0, isOpen }: StayFilter, { at, end, lastSeen }: Stay): boolean {
  if (isOpen !== undefined && isOpen !== (end === undefined)) return false
  if (from !== undefined && end !== undefined && end < microsecondsOf(from)) return false
  return secondsBetween(at, end ?? lastSeen) >= minSeconds
}

export const secondsBetween = (from: number, to: number): number => Math.floor((to - from) / 1_000_000)
