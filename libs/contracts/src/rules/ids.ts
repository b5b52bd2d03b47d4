import { z } from 'zod'

/** The largest integer that all JSON parsers keep exact, and the largest id ever minted. */
export const MAX_ID = Number.MAX_SAFE_INTEGER
const MAX_INT64 = 9223372036854775807n

/** A public id: opaque, permanent, unique across all resource types. */
export const Id = z
  .int()
  .min(1)
  .meta({
    override: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID },
    example: 4503599627370497,
  })

export const Uuid = z.guid().meta({ override: { type: 'string', format: 'uuid' } })

/** Result of reading an id from a path or a filter: its number, or the code of its problem. */
export type IdReading = { id: number } | { code: 'invalid_value' | 'too_small' }

/**
 * Reads an id from text. A number beyond int64 is `invalid_value`. A number between 2^53 and int64 is valid but was
 * never minted; it reads as 2^53, which no row has (D7.7).
 */
export function readId(raw: string): IdReading {
  if (!/^-?[0-9]{1,20}$/.test(raw)) return { code: 'invalid_value' }
  const value = BigInt(raw)
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n) return { code: 'invalid_value' }
  if (value < 1n) return { code: 'too_small' }
  return { id: value > BigInt(MAX_ID) ? MAX_ID + 1 : Number(value) }
}
