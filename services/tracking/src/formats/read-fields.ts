import { type Collector, UNUSABLE_ANTENNA } from './collector.ts'
import { readInteger, readNumber } from './json-values.ts'
import { isAbsent, isStorable } from './texts.ts'
import { type EpochUnit, parseTime, readEpoch } from './times.ts'

// Every function here takes the value of a field and where it stood, the pointer in two parts so that the common
// case builds no string: what is unusable is reported there and replaced by the default.

const MAX_ANTENNA = 65_535 // readers number them with 16 bits
const MAX_COUNT = 2_147_483_647

/** The antenna, 1 when absent. An unusable one is none of those with a place: a wrong place is worse than none. */
export function readAntenna(out: Collector, value: unknown, at: string, field: string): number {
  if (isAbsent(value)) return 1
  return readInteger(value, 1, MAX_ANTENNA) ?? unusable(out, at, field, UNUSABLE_ANTENNA)
}

/** How often the tag was read within the record, 1 when absent or unusable. */
export function readCount(out: Collector, value: unknown, at: string, field: string): number {
  if (isAbsent(value)) return 1
  return readInteger(value, 1, MAX_COUNT) ?? unusable(out, at, field, 1)
}

/** Signal strength in dBm; `perDbm` is how many units of the field make one. Null when absent or unusable. */
export function readRssi(
  out: Collector,
  value: unknown,
  perDbm: number,
  at: string,
  field: string,
): number | null {
  if (isAbsent(value)) return null
  const dbm = (readNumber(value) ?? Number.NaN) / perDbm
  // 0 is how several devices write "unknown", and 127 is Bluetooth's; a comparison with NaN is false.
  return dbm < 0 && dbm >= -128 ? dbm : unusable(out, at, field, null)
}

/**
 * An instant written as text, null when absent, unusable, or a wall time nobody gave a zone for: `zone`, where the
 * message names one, else that of the reader.
 */
export function readTime(
  out: Collector,
  value: unknown,
  at: string,
  field: string,
  zone: string | undefined = out.context.timezone,
): number | null {
  if (isAbsent(value)) return null
  const ms = typeof value === 'string' ? parseTime(value, zone) : undefined
  return ms === undefined ? unusable(out, at, field, null) : ms
}

/** A zone that the message names, undefined when absent or unusable. */
export function readZone(out: Collector, value: unknown, at: string, field: string): string | undefined {
  if (isAbsent(value)) return undefined
  const zone = typeof value === 'string' ? value.trim() : ''
  return out.knowsZone(zone) ? zone : unusable(out, at, field, undefined)
}

/** An instant that some firmware writes as text and some as milliseconds since 1970. */
export function readTextOrEpochTime(
  out: Collector,
  value: unknown,
  at: string,
  field: string,
): number | null {
  return readNumber(value) === undefined
    ? readTime(out, value, at, field)
    : readEpochTime(out, value, 'ms', at, field)
}

/** An instant written as a number (or numeric text) since 1970; null when absent, unusable or an uptime. */
export function readEpochTime(
  out: Collector,
  value: unknown,
  unit: EpochUnit,
  at: string,
  field: string,
): number | null {
  if (isAbsent(value)) return null
  const number = readNumber(value)
  const ms = number === undefined ? undefined : readEpoch(number, unit)
  if (ms === undefined) return unusable(out, at, field, null)
  if (ms !== 'unset') return ms
  out.noteClockUnset()
  return null
}

/** The key of a location. An unusable one leaves the read to the scan point of its antenna. */
export function readLocation(out: Collector, value: unknown, at: string, field: string): string | undefined {
  if (isAbsent(value)) return undefined
  return typeof value === 'string' && isStorable(value) ? value : unusable(out, at, field, undefined)
}

function unusable<T>(out: Collector, at: string, field: string, fallback: T): T {
  out.report('invalid_field', at + field)
  return fallback
}
