import { offsetMsOf } from '@whereabouts/contracts/rules/time-zone'

const DAY_MS = 86_400_000
const MAX_ZONE_LENGTH = 64
const MAX_ZONES = 64

/** A few decades of days. */
const MAX_DAYS = 16_384

/**
 * The formatter that tells the offsets of a zone, and known offsets by the number of the day. Not an LRUCache, which
 * would reserve memory for MAX_DAYS entries in each zone.
 */
type Zone = { formatter: Intl.DateTimeFormat; offsets: Map<number, number> }

/** A new formatter costs tens of microseconds. Bounded, because messages name zones too. */
const zones = new Map<string, Zone>()

/**
 * The instant at which a clock in `zone` shows the wall time `wallMs` (a wall time as if it were UTC). `zone` is an
 * IANA name or an offset such as `+08`, `-3:30`, `GMT+08:00`. If a change of clocks repeats a wall time, it means the
 * occurrence that is nearer to `nearMs`, by default the first; if it skips a wall time, the time is moved forward by the change. Undefined for an unknown zone.
 */
export function instantOfWallTime(wallMs: number, zone: string, nearMs = -Infinity): number | undefined {
  const fixed = offsetMsOf(zone)
  if (fixed !== undefined) return wallMs - fixed
  const known = zoneNamed(zone)
  if (known === undefined) return undefined
  // The offsets of a day before and a day after are on both sides of any change of clocks; usually there is none.
  // They are those at midnight UTC: a message with thousands of times has few days, and each lookup costs
  // microseconds.
  const day = Math.floor(wallMs / DAY_MS)
  const earlier = wallMs - offsetOfDay(known, day - 1)
  const later = wallMs - offsetOfDay(known, day + 2)
  const shows = (ms: number) => ms + offsetAtMs(known.formatter, ms) === wallMs
  if (earlier === later || !shows(later)) return earlier
  return shows(earlier) && isNearer(earlier, later, nearMs) ? earlier : later
}

const isNearer = (ms: number, than: number, to: number) => Math.abs(to - ms) <= Math.abs(to - than)

/** What a clock in `zone` shows at an instant, as if it were UTC. */
export function wallTimeAt(ms: number, zone: string): number {
  const known = zoneNamed(zone)
  return ms + (known ? offsetAtMs(known.formatter, ms) : (offsetMsOf(zone) ?? 0))
}

/** True for a name or an offset that `instantOfWallTime` understands. */
export function isZone(zone: string): boolean {
  return offsetMsOf(zone) !== undefined || zoneNamed(zone) !== undefined
}

function zoneNamed(zone: string): Zone | undefined {
  const made = zones.get(zone)
  if (made !== undefined) return made
  if (zone.length > MAX_ZONE_LENGTH) return undefined
  try {
    const shown = { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' } as const
    const known = { formatter: new Intl.DateTimeFormat('en-US', shown), offsets: new Map<number, number>() }
    if (zones.size === MAX_ZONES) zones.clear()
    zones.set(zone, known)
    return known
  } catch {
    return undefined // Intl throws a RangeError for an unknown zone
  }
}

/** The offset at the start of a day, UTC. `day` counts from 1970. */
function offsetOfDay({ formatter, offsets }: Zone, day: number): number {
  const known = offsets.get(day)
  if (known !== undefined) return known
  const offset = offsetAtMs(formatter, day * DAY_MS)
  if (offsets.size === MAX_DAYS) offsets.clear()
  offsets.set(day, offset)
  return offset
}

/** Parses `1970, GMT+01:00`, at a fifth of the cost of `formatToParts`. */
function offsetAtMs(formatter: Intl.DateTimeFormat, ms: number): number {
  const text = formatter.format(ms)
  return offsetMsOf(text.slice(text.lastIndexOf('GMT'))) ?? 0
}
