import type { Collector } from './collector.ts'
import type { Ibeacon } from './decoder.ts'
import { isObject, readInteger, readNumber } from './json-values.ts'
import { isAbsent } from './texts.ts'
import { type EpochUnit, parseTime, readEpoch } from './times.ts'

// Every function here takes the value of a field and where it stood, the pointer in two parts so that the common
// case builds no string: what is unusable is reported there and replaced by the default.

const MAX_ANTENNA = 65_535 // readers number them with 16 bits
const MAX_COUNT = 2_147_483_647

/** The antenna, 1 when absent or unusable. */
export function readAntenna(out: Collector, value: unknown, at: string, field: string): number {
  if (isAbsent(value)) return 1
  return readInteger(value, 1, MAX_ANTENNA) ?? unusable(out, at, field, 1)
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

/** An instant written as text, null when absent, unusable, or a wall time nobody gave a zone for. */
export function readTime(out: Collector, value: unknown, at: string, field: string): number | null {
  if (isAbsent(value)) return null
  const ms = typeof value === 'string' ? parseTime(value, out.context.timezone) : undefined
  return ms === undefined ? unusable(out, at, field, null) : ms
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

const UUID = /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i

/** `{uuid, major, minor, txPower?}` as devices write it, dashed or not; undefined when absent or unusable. */
export function readIbeacon(out: Collector, value: unknown, at: string, field: string): Ibeacon | undefined {
  if (isAbsent(value)) return undefined
  if (!isObject(value)) return unusable(out, at, field, undefined)
  const uuid = readUuid(value['uuid'])
  const major = readInteger(value['major'], 0, 0xffff)
  const minor = readInteger(value['minor'], 0, 0xffff)
  if (uuid === undefined) return unusable(out, at, `${field}/uuid`, undefined)
  if (major === undefined) return unusable(out, at, `${field}/major`, undefined)
  if (minor === undefined) return unusable(out, at, `${field}/minor`, undefined)
  const txPower = readInteger(value['txPower'], -128, 127)
  return txPower === undefined ? { uuid, major, minor } : { uuid, major, minor, tx_power: txPower }
}

/** Lower case with dashes; undefined when it is no UUID. */
function readUuid(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 36 || !UUID.test(value)) return undefined
  const hex = value.replaceAll('-', '').toLowerCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function unusable<T>(out: Collector, at: string, field: string, fallback: T): T {
  out.report('invalid_field', at + field)
  return fallback
}
