import { offsetMsOf } from '@whereabouts/contracts/time-zone'

const DAY_MS = 86_400_000
const MAX_ZONE_LENGTH = 64
const MAX_ZONES = 64

/** A few decades of days. */
const MAX_DAYS = 16_384

/** What tells the offsets of a zone, and those of days that were asked for before, by the number of the day. */
type Zone = { formatter: Intl.DateTimeFormat; offsets: Map<number, number> }

/** Making a formatter costs tens of microseconds. Zones also come from messages, hence the bound. */
const zones = new Map<string, Zone>()

/**
 * The instant at which a clock in `zone` shows the wall time `wallMs` (a wall time taken as if it were UTC).
 * `zone` is an IANA name or an offset such as `+08`, `-3:30`, `GMT+08:00`. A wall time that occurs twice means its
 * first occurrence, one that is skipped moves on by the gap. Undefined when there is no such zone.
 */
export function instantOfWallTime(wallMs: number, zone: string): number | undefined {
  const fixed = offsetMsOf(zone)
  if (fixed !== undefined) return wallMs - fixed
  const known = zoneNamed(zone)
  if (known === undefined) return undefined
  // The offsets of a day before and a day after bracket any change of clocks; usually there is none. They are asked for
  // at midnight, UTC: a message of thousands of times has few of them, and each costs microseconds.
  const day = Math.floor(wallMs / DAY_MS)
  const earlier = wallMs - offsetOfDay(known, day - 1)
  const later = wallMs - offsetOfDay(known, day + 2)
  const shows = (ms: number) => ms + offsetAtMs(known.formatter, ms) === wallMs
  return earlier === later || shows(earlier) || !shows(later) ? earlier : later
}

/** Whether `zone` is a name or an offset that `instantOfWallTime` understands. */
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
    return undefined // a RangeError is Intl's way to say that it knows no such zone
  }
}

/** At the first moment of a day, counted from 1970, UTC. */
function offsetOfDay({ formatter, offsets }: Zone, day: number): number {
  const known = offsets.get(day)
  if (known !== undefined) return known
  const offset = offsetAtMs(formatter, day * DAY_MS)
  if (offsets.size === MAX_DAYS) offsets.clear()
  offsets.set(day, offset)
  return offset
}

/** `1970, GMT+01:00`: a fifth of what `formatToParts` costs. */
function offsetAtMs(formatter: Intl.DateTimeFormat, ms: number): number {
  const text = formatter.format(ms)
  return offsetMsOf(text.slice(text.lastIndexOf('GMT'))) ?? 0
}
