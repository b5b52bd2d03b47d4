export type JsonObject = Readonly<Record<string, unknown>>

/** False for arrays and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, otherwise an empty one: for bodies that are read tolerantly. */
export function objectAt(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The value if it is a list, otherwise an empty one. */
export function listAt(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

// The usual spellings only: Number() alone would take '', '0x10' and 'Infinity' as well.
const NUMERIC_TEXT = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?[ \t]*$/
const MAX_NUMERIC_LENGTH = 40

/** A finite number, also as text with blanks around it; undefined for any other value. */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'string') {
    return value.length <= MAX_NUMERIC_LENGTH && NUMERIC_TEXT.test(value) ? finite(Number(value)) : undefined
  }
  return typeof value === 'number' ? finite(value) : undefined
}

/** An integer from `min` to `max`, also as text; undefined for any other value. */
export function readInteger(value: unknown, min: number, max: number): number | undefined {
  const number = readNumber(value)
  return number !== undefined && Number.isInteger(number) && number >= min && number <= max
    ? number
    : undefined
}

function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined // JSON.parse reads 1e999 as Infinity
}
