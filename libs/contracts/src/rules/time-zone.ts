import { addProblem, text } from './text.ts'

const OFFSET = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d{2})(?::\d{2})?)?$/i
const MAX_LENGTH = 64

/** Milliseconds east of Greenwich of `Z`, `UTC`, `+08`, `-3:30`, `GMT+08:00`; undefined for anything else. */
export function offsetMsOf(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'UTC' || zone === 'GMT') return 0
  const match = zone.length <= MAX_LENGTH ? OFFSET.exec(zone) : null
  if (match === null) return undefined
  const hours = Number(match[2])
  const minutes = Number(match[3] ?? 0)
  if (hours > 23 || minutes > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const isTimeZone = (zone: string): boolean => offsetMsOf(zone) !== undefined || isZoneName(zone)

/** Whether it is an IANA name: Intl takes offsets too, which do not know summer time. */
export function isZoneName(zone: string): boolean {
  if (zone.length > MAX_LENGTH || OFFSET.test(zone)) return false
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false // Intl throws a RangeError for an unknown zone
  }
}

/** The time zone of a device that sends wall time. */
export const TimeZone = text(1, MAX_LENGTH)
  .check((payload) => {
    if (payload.value !== '' && payload.value.length <= MAX_LENGTH && !isTimeZone(payload.value))
      addProblem(payload, {
        code: 'invalid_value',
        message: '{f} must be a time zone such as Europe/Berlin, or an offset such as +08:00',
      })
  })
  .meta({ override: { minLength: 1, maxLength: MAX_LENGTH }, example: 'Asia/Singapore' })

/** The time zone of people and their days. */
export const ZoneName = text(1, MAX_LENGTH)
  .check((payload) => {
    if (payload.value !== '' && payload.value.length <= MAX_LENGTH && !isZoneName(payload.value))
      addProblem(payload, { code: 'invalid_value', message: '{f} must be a time zone such as Europe/Berlin' })
  })
  .meta({ override: { minLength: 1, maxLength: MAX_LENGTH }, example: 'Europe/Berlin' })
