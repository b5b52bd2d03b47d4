import { z } from 'zod'
import { parseInstant } from './instant.ts'
import { addProblem, type FieldProblem } from './text.ts'

/**
 * Rules about two fields of one request. They run even if other fields are wrong, so that all problems are reported
 * together (D3.2, D7.3). So they must check every value that they use.
 */
export type Problem = FieldProblem & { field: string }

export function objectRule<T>(problems: (value: Partial<Record<string, unknown>>) => readonly Problem[]) {
  const check = z.check<T>((payload) => {
    if (typeof payload.value !== 'object' || payload.value === null || Array.isArray(payload.value)) return
    for (const { field, ...problem } of problems(payload.value)) addProblem(payload, problem, [field])
  })
  check._zod.def.when = () => true // zod's default skips the check as soon as any field has a problem
  return check
}

/**
 * `valid_to` must be after `valid_from`, which is the creation time if it is not sent (D4.7). Only if `valid_to` is
 * this close to now, the clock of the database decides.
 */
export const windowRule = <T>() =>
  objectRule<T>(({ valid_from = new Date().toISOString(), valid_to }) => {
    const [from, to] = [instant(valid_from), instant(valid_to)]
    return from !== undefined && to !== undefined && to <= from ? [WINDOW_PROBLEM] : []
  })

/**
 * Like `windowRule`, for PATCH. Two bounds in the same millisecond pass: they may be those of a stored window, whose
 * microseconds replies do not show. The service compares them with the stored row.
 */
export const patchWindowRule = <T>() =>
  objectRule<T>(({ valid_from, valid_to }) => {
    const [from, to] = [instant(valid_from), instant(valid_to)]
    return from !== undefined && to !== undefined && wireText(to) < wireText(from) ? [WINDOW_PROBLEM] : []
  })

/** Truncated to milliseconds, as in replies. Texts of the same width sort in the order of time. */
const wireText = (parsed: string) => parsed.slice(0, 23)

const instant = (value: unknown) => (typeof value === 'string' ? parseInstant(value) : undefined)

/** Also used if only the database can decide: for a bound that was not sent, or for its microseconds. */
export const WINDOW_PROBLEM = {
  field: 'valid_to',
  code: 'invalid_value',
  message: 'valid_to must be later than valid_from',
} as const satisfies Problem

/** At most one of these filters, which name the same thing, may be sent. */
export const oneOf = <T>(...names: readonly string[]) =>
  objectRule<T>((value) => {
    const sent = names.filter((name) => value[name] !== undefined)
    return sent.length > 1 ? ambiguous(sent, `${sent.join(' and ')} cannot be used together`) : []
  })

/** A number above 0 that makes no sense together with another parameter. */
export const notWith = <T>(name: string, other: string) =>
  objectRule<T>(({ [name]: sent, [other]: with_ }) =>
    Number(sent) > 0 && with_ !== undefined
      ? ambiguous([name], `${name} and ${other} cannot be used together`)
      : [],
  )

/** `none` among ids means both nothing and something. */
export const noneAlone = <T>(name: string) =>
  objectRule<T>(({ [name]: sent }) =>
    Array.isArray(sent) && sent.length > 1 && sent.includes('none')
      ? ambiguous([name], `${name} must be either none or ids`)
      : [],
  )

/** Two filters of the same meaning must have the same values if both are sent. */
export const sameValues = <T>(first: string, second: string) =>
  objectRule<T>((value) => {
    const [a, b] = [valuesOf(value[first]), valuesOf(value[second])]
    const clash = a && b && (a.size !== b.size || !a.isSubsetOf(b))
    return clash ? ambiguous([first, second], `${first} and ${second} must have the same values`) : []
  })

const valuesOf = (value: unknown) => (Array.isArray(value) ? new Set<unknown>(value) : undefined)

/** A flag that is valid only together with another filter. */
export const needsOneOf = <T>(flag: string, others: readonly string[]) =>
  objectRule<T>((value) =>
    value[flag] === true && others.every((name) => value[name] === undefined)
      ? [{ field: flag, code: 'invalid_context', message: `${flag} needs ${others.join(' or ')}` }]
      : [],
  )

/** Two fields that name one resource must both be null, or neither (D5.3). */
export const bothOrNeitherNull = <T>(first: string, second: string) =>
  objectRule<T>((value) => {
    const [a, b] = [value[first], value[second]]
    const clash = a !== undefined && b !== undefined && (a === null) !== (b === null)
    return clash ? ambiguous([first, second], `${first} and ${second} must refer to the same resource`) : []
  })

/**
 * Like `bothOrNeitherNull`, for a change of something that may name a deleted resource: its view has an id and no key, and may
 * come back as it is. The service compares that with the stored row.
 */
export const keyWithoutId = <T>(id: string, key: string) =>
  objectRule<T>((value) =>
    value[id] === null && value[key] !== undefined && value[key] !== null
      ? ambiguous([id, key], `${id} and ${key} must refer to the same resource`)
      : [],
  )

const ambiguous = (fields: readonly string[], message: string): Problem[] =>
  fields.map((field) => ({ field, code: 'ambiguous_fields', message }))
