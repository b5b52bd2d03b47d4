import type { FieldMessages } from '../load/failure.ts'

/** Messages by field; undefined for a field without a problem. */
export type Checks = Readonly<Record<string, string | undefined>>

export const problemsIn = (checks: Checks): FieldMessages =>
  Object.fromEntries(
    Object.entries(checks).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

/** The first problem of one field. */
export const firstOf = (...problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((problem) => problem !== undefined)

/** Each of the following returns what to do, or undefined if the value is good. They are the rules of the API. */
export const filled = (value: string, message = 'Fill in this field.'): string | undefined =>
  value.trim() === '' ? message : undefined

/** A typed whole number, with a sign if there may be one. */
export const wholeBetween = (value: string, min: number, max: number): string | undefined =>
  /^-?\d+$/.test(value) && Number(value) >= min && Number(value) <= max
    ? undefined
    : `Enter a whole number from ${min} to ${max}.`.replaceAll('-', '−')

/** In Unicode code points, as the API counts. */
const lengthOf = (text: string) => Array.from(text).length

export const atMost = (value: string, max: number): string | undefined =>
  lengthOf(value) > max ? `Use at most ${max} characters.` : undefined

export const email = (value: string): string | undefined =>
  filled(value, 'Enter an email address.') ??
  (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim())
    ? undefined
    : 'Enter an email address such as ada@example.com.')

export const MIN_PASSWORD = 10
const MAX_PASSWORD = 128

export function newPassword(value: string, address?: string): string | undefined {
  if (value === '') return 'Choose a password.'
  if (lengthOf(value) < MIN_PASSWORD) return `Use at least ${MIN_PASSWORD} characters.`
  if (address !== undefined && value.toLowerCase() === address.trim().toLowerCase())
    return 'Choose a password other than your email address.'
  return atMost(value, MAX_PASSWORD)
}

/** An empty key is good: the server then gives the next number. */
export const externalKey = (value: string): string | undefined =>
  value === '' || /^[A-Za-z0-9-]+$/.test(value)
    ? atMost(value, 255)
    : 'Use only letters, digits and hyphens, without spaces.'

export function httpsUrl(value: string): string | undefined {
  const problem = filled(value, 'Enter an address.')
  if (problem !== undefined) return problem
  if (!URL.canParse(value.trim())) return 'Enter a complete address such as https://example.com/hook.'
  return atMost(value, 2_048)
}
