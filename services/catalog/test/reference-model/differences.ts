import { isDeepStrictEqual } from 'node:util'

/** Differences as text; an empty list means none. */

export const differ = (what: string, actual: unknown, expected: unknown): string[] => [
  `${what} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
]

export const equal = (what: string, actual: unknown, expected: unknown): string[] =>
  isDeepStrictEqual(actual, expected) ? [] : differ(what, actual, expected)
