import { sql, type RawBuilder } from 'kysely'

// Lists of thousands of values as one parameter each, in PostgreSQL's binary format. The server reads it several times
// faster than text, and here it costs one buffer and no strings. pg sends every buffer as binary, for any type.

const INT8_OID = 20
const TEXT_OID = 25
const TIMESTAMPTZ_OID = 1184
const HEADER_BYTES = 20
const NULL_LENGTH = -1
const TWO_TO_32 = 2 ** 32
const EPOCH_2000_MS = Date.UTC(2000)

/** `bigint[]` of safe integers. */
export const bigints = (values: readonly (number | null)[]): RawBuilder<unknown> =>
  sql`${int8Array(values)}::bigint[]`

/** `timestamptz[]` of milliseconds since 1970. Throws a RangeError outside of the years 1715 to 2285. */
export const instants = (ms: readonly (number | null)[]): RawBuilder<unknown> =>
  sql`${int8Array(ms.map(microsecondsSince2000), TIMESTAMPTZ_OID)}::timestamptz[]`

/** PostgreSQL counts time in microseconds since 2000. */
const microsecondsSince2000 = (ms: number | null) => (ms === null ? null : (ms - EPOCH_2000_MS) * 1_000)

/** `text[]`. */
export const texts = (values: readonly (string | null)[]): RawBuilder<unknown> =>
  sql`${textArray(values)}::text[]`

/** The values in the format of `array_recv`. Throws a RangeError unless all are safe integers or null. */
export function int8Array(values: readonly (number | null)[], oid = INT8_OID): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + 12 * values.length)
  let at = writeHeader(buffer, oid, values)
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(NULL_LENGTH, at)
      continue
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`)
    const high = Math.floor(value / TWO_TO_32)
    at = buffer.writeInt32BE(8, at)
    at = buffer.writeInt32BE(high, at)
    at = buffer.writeUInt32BE(value - high * TWO_TO_32, at)
  }
  return buffer.subarray(0, at)
}

function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)))
  const bytes = lengths.reduce((sum, length) => sum + length, 0)
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + 4 * values.length + bytes)
  let at = writeHeader(buffer, TEXT_OID, values)
  for (const [i, value] of values.entries()) {
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : (lengths[i] ?? 0), at)
    if (value !== null) at += buffer.write(value, at)
  }
  return buffer
}

/** Writes the header of an array with one dimension that starts at 1. Returns the offset of the values. */
function writeHeader(buffer: Buffer, oid: number, values: readonly unknown[]): number {
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(values.length, 12)
  return buffer.writeInt32BE(1, 16)
}
