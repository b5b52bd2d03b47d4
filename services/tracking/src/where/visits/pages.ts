import { microsecondsOf } from '../../positions/packed/day-rows.ts'
import type { Place } from '../movements/cursor.ts'
import { staysFrom, startsOf, type Source, type Stay } from './stays.ts'
import { begins, byStart, type Step } from './step.ts'
import { lastDwells, lastSteps, newestSteps } from './steps.queries.ts'

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
    const { db, orgId, places } = source
    await page.addSorted(
      places.isDeep
        ? await startsOf(source, await lastSteps(db, orgId, { ...filter, places }))
        : await lastDwells(db, orgId, { ...filter, places }),
    )
    return page.result()
  }
  if (!isBefore(filter.after, filter.from)) await addNewest(page, source, filter, limit)
  if (filter.from !== undefined && !page.isFull) await addLasting(page, source, filter, filter.from)
  return page.result()
}

const isBefore = (after: Place | undefined, from: string | undefined) =>
  after !== undefined && from !== undefined && after.at < microsecondsOf(from)

async function addNewest(page: Page, { db, orgId, places }: Source, filter: StayFilter, limit: number) {
  let { after } = filter
  let read = 0
  for (let size = limit + 1; !page.isFull; size = Math.min(size * 4, MOST_AT_ONCE)) {
    const steps = await newestSteps(db, orgId, { ...filter, after, places }, size)
    await page.add(steps.filter((step) => begins(step, places)))
    read += steps.length
    after = steps.at(-1)
    if (steps.length < size) return
    if (read >= MOST_READ) return page.endAt(after)
  }
}

/** Stays that had begun before `from`, and had not ended. */
async function addLasting(page: Page, source: Source, filter: StayFilter, from: string) {
  const { db, orgId, places } = source
  const last = await lastSteps(db, orgId, { ...filter, places, before: from })
  await page.addSorted(await startsOf(source, last))
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

  async addSorted(starts: readonly Step[]): Promise<void> {
    const { after, to } = this.#filter
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
