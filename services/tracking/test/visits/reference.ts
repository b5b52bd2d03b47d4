/** A row of history. Instants in milliseconds. */
export type Row = { assetId: number; at: number; locationId: number | null }
export type ExpectedVisit = {
  assetId: number
  place: number
  start: number
  end: number | null
  lastSeen: number
  endedBy: 'moved' | 'silence' | null
}
type Rules = {
  placeOf: (locationId: number) => number | undefined
  maxSilenceMs?: number | undefined
  now: number
}

/** All visits in a history by the letter of D21, row by row; newest first. */
export function expectedVisits(rows: readonly Row[], rules: Rules): ExpectedVisit[] {
  const { maxSilenceMs = Infinity, now } = rules
  const visits: ExpectedVisit[] = []
  for (const assetId of new Set(rows.map((row) => row.assetId))) {
    let current: ExpectedVisit | undefined
    const end = (at: number, endedBy: 'moved' | 'silence') => {
      if (current) Object.assign(current, { end: at, endedBy })
      current = undefined
    }
    for (const { at, locationId } of rows
      .filter((row) => row.assetId === assetId)
      .toSorted((a, b) => a.at - b.at)) {
      const place = locationId === null ? undefined : rules.placeOf(locationId)
      if (current && at - current.lastSeen > maxSilenceMs) end(current.lastSeen, 'silence')
      if (current && current.place !== place) end(at, 'moved')
      if (current) current.lastSeen = at
      else if (place !== undefined) {
        current = { assetId, place, start: at, end: null, lastSeen: at, endedBy: null }
        visits.push(current)
      }
    }
    if (current && now - current.lastSeen > maxSilenceMs) end(current.lastSeen, 'silence')
  }
  return visits.toSorted((a, b) => b.start - a.start || b.assetId - a.assetId)
}

/** The nearest location at or above this one that is named; each location itself if none is. */
export function placeFinder(
  parentOf: (locationId: number) => number | null | undefined,
  named: readonly number[] | undefined,
  isDeep: boolean,
): (locationId: number) => number | undefined {
  if (named === undefined) return (id) => id
  return (id) => {
    for (let at: number | null | undefined = id; at != null; at = isDeep ? parentOf(at) : null)
      if (named.includes(at)) return at
    return undefined
  }
}

export type ExpectedGroup = {
  visits: number
  assets: number
  seconds_total: number
  seconds_median: number
  seconds_p95: number
  over_limit: number
}

/** The report of these visits from `from` until `to`, whose parts `groupsOf` names. */
export function expectedReport(
  visits: readonly ExpectedVisit[],
  { from, to, limitSeconds }: { from: number; to: number; limitSeconds: number },
  groupsOf: (visit: ExpectedVisit, from: number, to: number) => [group: string, from: number, to: number][],
): Map<string, ExpectedGroup> {
  const parts = new Map<string, { seconds: number; assetId: number }[]>()
  for (const visit of visits) {
    const until = visit.end ?? visit.lastSeen
    const isThere = visit.start < to && (until > from || visit.start >= from)
    if (!isThere) continue
    for (const [group, start, end] of groupsOf(visit, Math.max(visit.start, from), Math.min(until, to))) {
      const part = { seconds: Math.floor((end - start) / 1_000), assetId: visit.assetId }
      parts.set(group, [...(parts.get(group) ?? []), part])
    }
  }
  return new Map(Array.from(parts, ([group, found]) => [group, figuresOf(found, limitSeconds)]))
}

function figuresOf(
  parts: readonly { seconds: number; assetId: number }[],
  limitSeconds: number,
): ExpectedGroup {
  const seconds = parts.map((part) => part.seconds).toSorted((a, b) => a - b)
  /** The least value such that this share of all is not greater. */
  const rank = (percent: number) =>
    seconds.find((one) => seconds.filter((other) => other <= one).length * 100 >= percent * seconds.length) ??
    -1
  return {
    visits: seconds.length,
    assets: new Set(parts.map(({ assetId }) => assetId)).size,
    seconds_total: seconds.reduce((sum, one) => sum + one, 0),
    seconds_median: rank(50),
    seconds_p95: rank(95),
    over_limit: seconds.filter((one) => one > limitSeconds).length,
  }
}

const QUARTER = 15 * 60_000

/** The days of a zone from one instant until another, with their first instants. Zones differ by quarters of an hour. */
export function daysIn(
  zone: string,
  from: number,
  to: number,
): [date: string, first: number, last: number][] {
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  const days: [string, number, number][] = []
  for (let at = Math.floor(from / QUARTER) * QUARTER; at < to; at += QUARTER) {
    const date = calendar.format(at)
    const day = days.at(-1)
    if (day?.[0] === date) day[2] = at + QUARTER
    else days.push([date, at, at + QUARTER])
  }
  return days
}
