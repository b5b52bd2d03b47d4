import { offsetMsOf } from '@whereabouts/contracts/time-zone'

const DAY_MS = 86_400_000
const MAX_ZONE_LENGTH = 64
const MAX_FORMATTERS = 64

/** Making a formatter costs tens of microseconds. Zones also come from messages, hence the bound. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * The instant at which a clock in `zone` shows the wall time `wallMs` (a wall time taken as if it were UTC).
 * `zone` is an IANA name or an offset such as `+08`, `-3:30`, `GMT+08:00`. A wall time that occurs twice means its
 * first occurrence, one that is skipped moves on by the gap. Undefined when there is no such zone.
 */
export function instantOfWallTime(wallMs: number, zone: string): number | undefined {
  const fixed = offsetMsOf(zone)
  if (fixed !== undefined) return wallMs - fixed
  const formatter = formatterFor(zone)
  if (formatter === undefined) return undefined
  // The offsets of the day before and after bracket any change of clocks; usually there is none.
  const earlier = wallMs - offsetAtMs(formatter, wallMs - DAY_MS)
  const later = wallMs - offsetAtMs(formatter, wallMs + DAY_MS)
  const shows = (ms: number) => ms + offsetAtMs(formatter, ms) === wallMs
  return earlier === later || shows(earlier) || !shows(later) ? earlier : later
}

/** Whether `zone` is a name or an offset that `instantOfWallTime` understands. */
export function isZone(zone: string): boolean {
  return offsetMsOf(zone) !== undefined || formatterFor(zone) !== undefined
}

function formatterFor(zone: string): Intl.DateTimeFormat | undefined {
  const made = formatters.get(zone)
  if (made !== undefined) return made
  if (zone.length > MAX_ZONE_LENGTH) return undefined
  try {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    if (formatters.size === MAX_FORMATTERS) formatters.clear()
    formatters.set(zone, formatter)
    return formatter
  } catch {
    return undefined // a RangeError is Intl's way to say that it knows no such zone
  }
}

function offsetAtMs(formatter: Intl.DateTimeFormat, ms: number): number {
  const name = formatter.formatToParts(ms).find((part) => part.type === 'timeZoneName')
  return offsetMsOf(name?.value ?? 'Z') ?? 0
}
