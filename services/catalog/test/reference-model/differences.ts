import { isDeepStrictEqual } from 'node:util'

/** What is wrong, as text; nothing when nothing is. */

export const differ = (what: string, actual: unknown, expected: unknown): string[] => [
  `${what} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
]

export const equal = (what: string, actual: unknown, expected: unknown): string[] =>
  isDeepStrictEqual(actual, expected) ? [] : differ(what, actual, expected)
