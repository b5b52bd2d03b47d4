import type { components } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'
import { isAssignable } from '../things/tag-values.ts'

/** An asset or a location that a scanned value names. */
export type Match = components['schemas']['LookupMatch']

/** What values name, by value. */
export type Found = ReadonlyMap<string, readonly Match[]>

/** Limit of the API per request. */
export const BATCH = 200

/** 1 to 255 characters that a tag can have: the API refuses others. */
const POSSIBLE = /^.{1,255}$/su
const canExist = (value: string): boolean =>
  value.isWellFormed() && POSSIBLE.test(value) && isAssignable(value)

/** Asks for at most `BATCH` values. */
export async function lookUp(values: readonly string[]): Promise<Found> {
  const possible = values.filter(canExist)
  const found = new Map<string, readonly Match[]>(values.map((value) => [value, []]))
  if (possible.length === 0) return found
  const data = await api.post('/api/v1/lookup', { body: { values: possible } })
  for (const { value, matches } of data) found.set(value, matches)
  return found
}

/** Looks up any number of values, batch by batch. */
export async function lookUpAll(
  values: readonly string[],
  onProgress: (done: number) => void,
): Promise<Found> {
  const found = new Map<string, readonly Match[]>()
  for (let at = 0; at < values.length; at += BATCH) {
    onProgress(at)
    for (const [value, matches] of await lookUp(values.slice(at, at + BATCH))) found.set(value, matches)
  }
  return found
}
