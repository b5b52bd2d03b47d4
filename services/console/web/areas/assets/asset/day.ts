import { dwellsOf, type Dwell, type SeenAt, type Sighting } from './sightings.ts'

/** A calendar day in the viewer's time zone, in milliseconds. It has 23 or 25 hours when the clocks change. */
export type Day = { name: string; start: number; end: number }

const pad = (value: number) => String(value).padStart(2, '0')

const named = (at: Date): string => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`

/** The day with this name, such as `2026-11-25`, or `by` days later. Without a valid name: the day of `now`. */
export function dayOf(name: string, now: number, by = 0): Day {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(name) ?? []
  const wanted = year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(date))
  const at = wanted && named(wanted) === name && wanted.getTime() <= now ? wanted : new Date(now)
  const midnight = (days: number) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days)
  return { name: named(midnight(by)), start: midnight(by).getTime(), end: midnight(by + 1).getTime() }
}

/** Every sixth hour on the clock of the day. */
export const hoursOf = ({ start }: Day): Date[] =>
  [0, 6, 12, 18].map((hour) => {
    const at = new Date(start)
    return new Date(at.getFullYear(), at.getMonth(), at.getDate(), hour)
  })

/** Where an instant is in the day, in percent. */
export const percentOf = (at: number, { start, end }: Day): number => ((at - start) / (end - start)) * 100

/** The first sighting after a day, of which only this is known. */
export type Next = { observed_at: string; location_id: number | null }

/** A dwell in a day. */
export type DayDwell = Dwell & {
  /** It was there before the first of these sightings, maybe for longer than is known. */
  isEarlier: boolean
  /** It was seen there again after the day, and until when is not known. */
  isLater: boolean
}

type Loaded = {
  /** Those of the day, newest first. */
  sightings: readonly Sighting[]
  /** The last sighting before the day: where the asset was at midnight. */
  before: Sighting | undefined
  next: Next | undefined
}

/** The dwells that overlap a day, newest first. */
export function dwellsOfDay({ sightings, before, next }: Loaded): DayDwell[] {
  const dwells = dwellsOf(before ? [...sightings, before] : sightings).map((dwell): DayDwell =>
    Object.assign(dwell, { isEarlier: dwell.first === before, isLater: false }),
  )
  const [last] = dwells
  if (!last || !next) return dwells
  if (next.location_id === (last.location?.id ?? null)) {
    last.lastSeen = next.observed_at
    last.isLater = true
  } else last.until = next.observed_at
  return dwells
}

/** A dwell, cut at the ends of the day, in milliseconds. Between `seenUntil` and `until` nothing saw it anywhere. */
export type Bar = { dwell: DayDwell; from: number; seenUntil: number; until: number }

/** The part of each dwell that is in the day and not in the future. */
export function barsOf(dwells: readonly DayDwell[], { start, end }: Day, now: number): Bar[] {
  // The clock of the server may be ahead.
  const latest = Math.min(end, Math.max(now, ...dwells.map(({ lastSeen }) => Date.parse(lastSeen))))
  const within = (instant: string) => Math.min(latest, Math.max(start, Date.parse(instant)))
  return dwells.flatMap((dwell) => {
    const until = dwell.until === null ? latest : within(dwell.until)
    if (Date.parse(dwell.from) >= end || until <= start) return []
    return [{ dwell, from: within(dwell.from), seenUntil: Math.min(until, within(dwell.lastSeen)), until }]
  })
}

/** The bars at one location. */
export type Lane = { location: SeenAt | null; bars: Bar[] }

/** One lane for each location. First is where the asset was last. */
export function lanesOf(bars: readonly Bar[]): Lane[] {
  const lanes = new Map<number | null, Lane>()
  for (const bar of bars) {
    const { location } = bar.dwell
    const lane = lanes.get(location?.id ?? null)
    if (lane) lane.bars.push(bar)
    else lanes.set(location?.id ?? null, { location, bars: [bar] })
  }
  return [...lanes.values()]
}
