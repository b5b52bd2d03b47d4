const OFFSET = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d{2})(?::\d{2})?)?$/i
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
  const fixed = readOffsetMs(zone)
  if (fixed !== undefined) return wallMs - fixed
  const formatter = formatterFor(zone)
  if (formatter === undefined) return undefined
  // The offsets of the day before and after bracket any change of clocks; usually there is none.
  const earlier = wallMs - offsetAtMs(formatter, wallMs - DAY_MS)
  const later = wallMs - offsetAtMs(formatter, wallMs + DAY_MS)
  const shows = (ms: number) => ms + offsetAtMs(formatter, ms) === wallMs
  return earlier === later || shows(earlier) || !shows(later) ? earlier : later
}

/** Milliseconds east of Greenwich of `Z`, `UTC`, `+08`, `-3:30`, `GMT+08:00`; undefined for anything else. */
function readOffsetMs(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'UTC' || zone === 'GMT') return 0
  const match = zone.length <= MAX_ZONE_LENGTH ? OFFSET.exec(zone) : null
  if (match === null) return undefined
  const hours = Number(match[2])
  const minutes = Number(match[3] ?? 0)
  if (hours > 23 || minutes > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
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
  return readOffsetMs(name?.value ?? 'Z') ?? 0
}
