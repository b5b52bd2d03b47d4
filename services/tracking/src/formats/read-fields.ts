import { type Collector, UNUSABLE_ANTENNA } from './collector.ts'
import { readInteger, readNumber } from './json-values.ts'
import { isAbsent, isStorable } from './texts.ts'
import { type EpochUnit, parseTime, readEpoch } from './times.ts'

// Every function here takes the value of a field and its pointer, in two parts so that the common case builds no
// string. It reports an unusable value there and returns the default.

const MAX_ANTENNA = 65_535 // readers number them with 16 bits
const MAX_COUNT = 2_147_483_647

/** The antenna; 1 if absent. An unusable one gets no scan point, because a wrong location is worse than none. */
export function readAntenna(out: Collector, value: unknown, at: string, field: string): number {
  if (isAbsent(value)) return 1
  return readInteger(value, 1, MAX_ANTENNA) ?? unusable(out, at, field, UNUSABLE_ANTENNA)
}

/** Number of reads in the record; 1 if absent or unusable. */
export function readCount(out: Collector, value: unknown, at: string, field: string): number {
  if (isAbsent(value)) return 1
  return readInteger(value, 1, MAX_COUNT) ?? unusable(out, at, field, 1)
}

/** Signal strength in dBm. `perDbm`: units of the field per dBm. Null if absent or unusable. */
export function readRssi(
  out: Collector,
  value: unknown,
  perDbm: number,
  at: string,
  field: string,
): number | null {
  if (isAbsent(value)) return null
  const dbm = (readNumber(value) ?? Number.NaN) / perDbm
  // Several devices write 0 for "unknown", and Bluetooth has 127. A comparison with NaN is false.
  return dbm < 0 && dbm >= -128 ? dbm : unusable(out, at, field, null)
}

/**
 * An instant as text. Null if it is absent, unusable, or a wall time without a zone, which is a problem. The zone is `zone`, if the
 * message names one, otherwise the zone of the reader.
 */
export function readTime(
  out: Collector,
  value: unknown,
  at: string,
  field: string,
  zone: string | undefined = out.context.timezone,
): number | null {
  if (isAbsent(value)) return null
  const ms = typeof value === 'string' ? parseTime(value, zone, out.context.received_at_ms) : undefined
  if (ms === undefined) return unusable(out, at, field, null)
  if (ms === null) out.noteMissingZone(at + field)
  return ms
}

/** A zone that the message names; undefined if absent or unusable. */
export function readZone(out: Collector, value: unknown, at: string, field: string): string | undefined {
  if (isAbsent(value)) return undefined
  const zone = typeof value === 'string' ? value.trim() : ''
  return out.knowsZone(zone) ? zone : unusable(out, at, field, undefined)
}

/** An instant: text on some firmware, milliseconds since 1970 on other. */
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

/** An instant as a number (or numeric text) since 1970. Null if it is absent, unusable or an uptime. */
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

/** The key of a location. Without a usable one, the scan point of the antenna decides. */
export function readLocation(out: Collector, value: unknown, at: string, field: string): string | undefined {
  if (isAbsent(value)) return undefined
  return typeof value === 'string' && isStorable(value) ? value : unusable(out, at, field, undefined)
}

function unusable<T>(out: Collector, at: string, field: string, fallback: T): T {
  out.report('invalid_field', at + field)
  return fallback
}
