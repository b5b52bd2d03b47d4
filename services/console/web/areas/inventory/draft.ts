import type { PickedLocation } from '../../parts/locations/location-picker.tsx'

/** Limit of the API per save. */
export const MAX_VALUES = 10_000

/** An inventory that is not saved yet. */
export type Draft = {
  location: PickedLocation | null
  /** What was scanned, newest first, each once. */
  values: readonly string[]
  /** The assets that the person chose for ambiguous values. */
  chosen: readonly Choice[]
}
type Choice = { value: string; assetId: number }

export const EMPTY_DRAFT: Draft = { location: null, values: [], chosen: [] }

export const isEmptyDraft = ({ location, values }: Draft): boolean => location === null && values.length === 0

/**
 * Splits pasted text into values: one per line, or separated by commas, semicolons or tabs. A tag or a barcode may
 * contain spaces.
 */
export const splitValues = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\r\n\t,;]+/)
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ),
]

export type Added = {
  draft: Draft
  /** Values that were not in the list. */
  added: number
  /** Values that were in the list. */
  repeated: number
  /** Values for which the list has no room. */
  leftOut: readonly string[]
}

/** Adds values, newest first, so that a person sees the last scan. */
export function addValues(draft: Draft, given: readonly string[]): Added {
  const known = new Set(draft.values)
  const fresh = given.filter((value) => !known.has(value))
  const accepted = fresh.slice(0, Math.max(0, MAX_VALUES - draft.values.length))
  return {
    draft: accepted.length === 0 ? draft : { ...draft, values: [...accepted.toReversed(), ...draft.values] },
    added: accepted.length,
    repeated: given.length - fresh.length,
    leftOut: fresh.slice(accepted.length),
  }
}

export function removeValues(draft: Draft, values: readonly string[]): Draft {
  const gone = new Set(values)
  return {
    ...draft,
    values: draft.values.filter((value) => !gone.has(value)),
    chosen: draft.chosen.filter(({ value }) => !gone.has(value)),
  }
}

/** Removes what was saved. If nothing is left, the next inventory starts without a location. */
export function removeSaved(draft: Draft, values: readonly string[]): Draft {
  const left = removeValues(draft, values)
  return left.values.length === 0 ? EMPTY_DRAFT : left
}

/** In place of an unknown value, the values into which its spaces split it. */
export function splitAtSpaces(draft: Draft, value: string): Draft {
  const parts = value.split(/\s+/)
  return addValues(removeValues(draft, [value]), [...new Set(parts)]).draft
}

export const choose = (draft: Draft, choice: Choice): Draft => ({
  ...draft,
  chosen: [...draft.chosen.filter(({ value }) => value !== choice.value), choice],
})

/** A location was scanned: it becomes the location of the inventory, and its value leaves the list. */
export const takeAsLocation = (draft: Draft, value: string, location: PickedLocation): Draft => ({
  ...removeValues(draft, [value]),
  location,
})

const VERSION = 1

export const draftText = (draft: Draft): string => JSON.stringify({ ...draft, version: VERSION })

/** A stored draft. Anything else is an empty one: other programs of this origin may have written it. */
export function readDraft(text: string | null): Draft {
  try {
    const stored = JSON.parse(text ?? 'null') as Partial<Draft & { version: number }> | null
    if (stored?.version !== VERSION || !Array.isArray(stored.values)) return EMPTY_DRAFT
    const values = stored.values.filter((value) => typeof value === 'string' && value !== '')
    return {
      location: isLocation(stored.location) ? stored.location : null,
      values: [...new Set(values)].slice(0, MAX_VALUES),
      chosen: Array.isArray(stored.chosen) ? stored.chosen.filter(isChoice) : [],
    }
  } catch {
    return EMPTY_DRAFT
  }
}

const isLocation = (location: Draft['location'] | undefined): location is PickedLocation =>
  typeof location?.id === 'number' &&
  typeof location.name === 'string' &&
  typeof location.external_key === 'string'

const isChoice = (choice: Partial<Choice> | null): choice is Choice =>
  typeof choice?.value === 'string' && typeof choice.assetId === 'number'
