import { z } from 'zod'
import { addProblem } from './text.ts'

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/
const YEAR_1 = Date.UTC(2001, 0, 1) - 730_485 * 86_400_000
const YEAR_9999_END = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Reads an RFC 3339 timestamp with any offset and any number of fraction digits. Returns UTC text with six fraction
 * digits, truncated because storage is in microseconds; undefined if the text is not such a timestamp. The result has a
 * fixed width, so that texts sort in the order of time.
 */
export function parseInstant(raw: string): string | undefined {
  if (raw.length > 64) return undefined
  const match = SHAPE.exec(raw)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour, offsetMinute] = match
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (mo < 1 || mo > 12 || d < 1 || d > daysIn(y, mo) || h > 23 || mi > 59 || s > 60) return undefined
  const [oh, om] = [Number(offsetHour ?? 0), Number(offsetMinute ?? 0)]
  if (oh > 23 || om > 59) return undefined
  const offsetMs = (sign === '-' ? -1 : 1) * (oh * 60 + om) * 60_000
  const whole = new Date(0)
  whole.setUTCFullYear(y, mo - 1, d)
  whole.setUTCHours(h, mi, s, 0) // a leap second rolls over into the next minute
  const at = whole.getTime() - offsetMs
  if (at < YEAR_1 || at > YEAR_9999_END) return undefined
  return `${new Date(at).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Milliseconds since 1970 of a timestamp from this module or the database. */
export const epochMs = (instant: string): number => Date.parse(instant)

/** Any RFC 3339 timestamp in a request body; the parsed value is UTC text in microseconds. */
export const Instant = z
  .string()
  .transform((raw, ctx) => {
    const parsed = parseInstant(raw)
    if (parsed !== undefined) return parsed
    addProblem(ctx, { code: 'invalid_value', message: '{f} must be an RFC 3339 timestamp' })
    return z.NEVER
  })
  .meta({ override: { type: 'string', format: 'date-time' }, example: '2026-11-21T10:00:00.000Z' })

const ZERO_TIMES = new Set(['0001-01-01T00:00:00.000', '1970-01-01T00:00:00.000'])

/**
 * A bound of the validity window. The zero times of other languages are refused in any notation, also if a value is one
 * only after truncation to milliseconds, as in replies.
 */
export const WindowInstant = Instant.check((payload) => {
  if (ZERO_TIMES.has(payload.value.slice(0, 23)))
    addProblem(payload, { code: 'invalid_value', message: '{f} must not be a zero-time placeholder' })
}).meta({ override: { type: 'string', format: 'date-time' }, example: '2026-11-21T10:00:00.000Z' })

/** A timestamp in a reply: RFC 3339, UTC, three fraction digits. */
export const WireInstant = z
  .string()
  .meta({ override: { type: 'string', format: 'date-time' }, example: '2026-11-21T10:00:00.000Z' })
