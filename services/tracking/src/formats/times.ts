import { instantOfWallTime } from './zones.ts'

const END_OF_9999_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * An instant as text, in ms; finer digits are cut off. Null for a wall time if `zone` is missing or unknown;
 * undefined for any other text. `nearMs` decides a wall time that a change of clocks repeats. Not with Date.parse, which refuses some forms of the devices and reads others as
 * local time of the server.
 */
export function parseTime(
  text: string,
  zone: string | undefined,
  nearMs?: number,
): number | null | undefined {
  const trimmed = text.trim()
  const wallMs = parseWallTime(trimmed)
  if (wallMs !== undefined) return parseRest(trimmed, wallMs, zone, nearMs)
  const padded = pad(trimmed)
  const paddedMs = padded === undefined ? undefined : parseWallTime(padded)
  return padded === undefined || paddedMs === undefined
    ? undefined
    : parseRest(padded, paddedMs, zone, nearMs)
}

const UNPADDED = /^(\d{4})([-/])(\d{1,2})[-/](\d{1,2})([Tt &])(\d{1,2}):(\d{1,2}):(\d{1,2})(.*)$/

const two = (digits: string | undefined) => digits?.padStart(2, '0')

/** Pads every part of a time such as `2026-3-1&18:00:02+08` to two digits; undefined for any other text. */
function pad(text: string): string | undefined {
  const match = UNPADDED.exec(text)
  if (match === null) return undefined
  const [, year, dash, month, day, separator, hour, minute, second, rest] = match
  return `${year}${dash}${two(month)}${dash}${two(day)}${separator}${two(hour)}:${two(minute)}:${two(second)}${rest}`
}

/** The first 19 characters, `2026-03-01T10:00:02`, as if they were UTC; undefined for any other text. */
function parseWallTime(text: string): number | undefined {
  const dash = text[4]
  if ((dash !== '-' && dash !== '/') || text[7] !== dash || text[13] !== ':' || text[16] !== ':')
    return undefined
  const between = text[10]
  if (between !== 'T' && between !== ' ' && between !== '&' && between !== 't') return undefined
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  // A comparison with NaN is false, so this also checks the digits. 60 is a leap second, which becomes the next
  // minute. No clock is before 1970; some software writes 0001-01-01 for "no date".
  const valid =
    year >= 1970 && day >= 1 && day <= daysInMonth(year, month) && hour <= 23 && minute <= 59 && second <= 60
  return valid ? Date.UTC(year, month - 1, day, hour, minute, second) : undefined
}

/** Fraction and zone, from the 20th character on. */
function parseRest(
  text: string,
  wallMs: number,
  zone: string | undefined,
  nearMs: number | undefined,
): number | null | undefined {
  let at = 19
  let fractionMs = 0
  if (text[at] === '.') {
    const end = endOfDigits(text, at + 1)
    if (end - at > 10) return undefined
    fractionMs = Number(text.slice(at + 1, Math.min(end, at + 4)).padEnd(3, '0'))
    at = end
  }
  const ms = wallMs + fractionMs
  if (at === text.length) return zone === undefined ? null : (instantOfWallTime(ms, zone, nearMs) ?? null)
  const offsetMs = parseOffset(text, at)
  return offsetMs === undefined || ms - offsetMs > END_OF_9999_MS ? undefined : ms - offsetMs
}

/** `Z`, `+hh:mm`, `+hhmm` or `+hh` up to the end of the text. */
function parseOffset(text: string, at: number): number | undefined {
  const first = text[at]
  if (first === 'Z' || first === 'z') return text.length === at + 1 ? 0 : undefined
  if (first !== '+' && first !== '-') return undefined
  const hours = twoDigits(text, at + 1)
  const minutesAt = text[at + 3] === ':' ? at + 4 : at + 3
  const minutes = text.length === at + 3 ? 0 : twoDigits(text, minutesAt)
  if (text.length !== at + 3 && text.length !== minutesAt + 2) return undefined
  if (!(hours <= 23 && minutes <= 59)) return undefined
  return (first === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0)
}

/** NaN if one of the two is not a digit. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 0x30
  const ones = text.charCodeAt(at + 1) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

function endOfDigits(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at += 1
  return at
}

export type EpochUnit = 's' | 'ms' | 'us'

/** The unit of a number since 1970 of which only the size is known. Each unit covers 1973 to 5138. */
export const epochUnitBySize = (value: number): EpochUnit => (value < 1e11 ? 's' : value < 1e14 ? 'ms' : 'us')

const MICROSECONDS: Record<EpochUnit, number> = { s: 1e6, ms: 1e3, us: 1 }
const CLOCK_SET_AFTER_MS = 1e12 // 2001-09-09
const END_OF_2100_MS = Date.UTC(2101, 0, 1)

/**
 * An instant as a number since 1970, in ms; finer digits are cut off. `unset` for an uptime or the zero of an unset
 * clock; undefined after the year 2100.
 */
export function readEpoch(value: number, unit: EpochUnit): number | 'unset' | undefined {
  // By whole microseconds, because 1772359201.123 * 1000 may be just below the millisecond.
  const ms = Math.floor(Math.round(value * MICROSECONDS[unit]) / 1000)
  if (ms < CLOCK_SET_AFTER_MS) return 'unset'
  return ms < END_OF_2100_MS ? ms : undefined
}
