import { z } from 'zod'
import type { FieldCode } from '../errors.ts'

/**
 * A custom problem of a field. The error mapping replaces `{f}` in `message` by the name of the field, because a schema
 * does not know its name.
 */
export type FieldProblem = { code: FieldCode; message: string; params?: Record<string, unknown> }

type Payload = Pick<z.core.ParsePayload, 'issues' | 'value'>

/**
 * Adds a problem that the error mapping turns into a field entry with exactly this code and message. `path` leads from
 * `value` to the field. All problems of our own come this way, so that a code outside the contract is a type error.
 */
export function addProblem(
  { issues, value }: Payload,
  problem: FieldProblem,
  path: PropertyKey[] = [],
): void {
  issues.push({ code: 'custom', input: value, path, message: problem.message, params: problem })
}

/** The problem that `addProblem` added; undefined for an issue of zod itself. */
export function addedProblem(issue: z.core.$ZodIssue): FieldProblem | undefined {
  if (issue.code !== 'custom' || !issue.params) return undefined
  const { code, message, params } = issue.params
  return { code, message, ...(params && { params }) }
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** `none`: no control characters; `lines`: tab, CR and LF; `labels`: also the separators that 2D labels have (D19.1). */
type Control = 'none' | 'lines' | 'labels'

const LINE_CONTROLS = [9, 10, 13]
const ALLOWED: Record<Control, ReadonlySet<number>> = {
  none: new Set(),
  lines: new Set(LINE_CONTROLS),
  labels: new Set([...LINE_CONTROLS, 4, 28, 29, 30, 31]),
}

/** Whether `value` has other C0 control characters or DEL than are allowed. */
export function hasControl(value: string, control: Control): boolean {
  for (let i = 0; i < value.length; i += 1) {
    const code = value.charCodeAt(i)
    if ((code < 32 || code === 127) && !ALLOWED[control].has(code)) return true
  }
  return false
}

export type TextRules = {
  /** The control characters that are allowed. Default: none. */
  control?: Control
  /** The first and last characters must not be white space. */
  trimmed?: boolean
  /** No characters that make a name look like another one (UAX #9) or break a line. */
  plain?: boolean
}

/** Line and paragraph separators, and characters that change the direction of text. */
const DISPLAY_CONTROL = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/

/** Length in Unicode code points, as in the contract. `length` of JavaScript counts UTF-16 units. */
export function codePoints(value: string): number {
  let length = 0
  for (const _ of value) length += 1
  return length
}

/**
 * Text of `min` to `max` code points. Lone surrogates and NUL are always refused: PostgreSQL cannot store them, and the
 * caller would get a 500 for its own mistake (D3.3).
 */
export function text(min: number, max: number, rules: TextRules = {}) {
  return z
    .string()
    .check((payload) => {
      const units = payload.value.length
      // The characters of a very long text need not be counted: it has at least half as many as units.
      const length = units > 2 * max ? units : codePoints(payload.value)
      const origin = 'string'
      if (length < min)
        payload.issues.push({
          code: 'too_small',
          origin,
          minimum: min,
          inclusive: true,
          input: payload.value,
        })
      if (length > max)
        payload.issues.push({ code: 'too_big', origin, maximum: max, inclusive: true, input: payload.value })
      if (units > 2 * max) return
      if (LONE_SURROGATE.test(payload.value))
        addProblem(payload, { code: 'invalid_value', message: '{f} must be valid Unicode text' })
      else if (hasControl(payload.value, rules.control ?? 'none')) addProblem(payload, CONTROL_PROBLEM)
      else if (rules.trimmed && payload.value.trim() !== payload.value)
        addProblem(payload, { code: 'invalid_value', message: '{f} must not start or end with white space' })
      else if (rules.plain && hasDisplayControl(payload.value)) addProblem(payload, DISPLAY_CONTROL_PROBLEM)
    })
    .meta({ override: { minLength: min, maxLength: max, pattern: patternOf(rules) } })
}

export const CONTROL_PROBLEM = {
  code: 'invalid_value',
  message: '{f} must not contain control characters',
} as const satisfies FieldProblem

const LINE = String.raw`[^\x00-\x1f\x7f]`
const LINES = String.raw`[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]`
/** One character of a text of labels. */
export const LABELS = String.raw`[^\x00-\x03\x05-\x08\x0b\x0c\x0e-\x1b\x7f]`
const CHARACTERS: Record<Control, string> = { none: LINE, lines: LINES, labels: LABELS }
/** No white space either. */
const EDGE = String.raw`[^\s\x00-\x1f\x7f]`

/** For the API description, as far as the regular expressions of all languages can say it. */
export const patternOf = ({ control = 'none', trimmed }: TextRules): string =>
  trimmed === true ? `^${EDGE}(${LINE}*${EDGE})?$` : `^${CHARACTERS[control]}*$`

/** A name of an asset, a location, a reader or a key: one line, without white space at its ends. */
export const Name = text(1, 255, { trimmed: true, plain: true })

/** For PATCH: a stored name may be sent back unchanged, so the service checks `plain` against the stored row. */
export const NamePatch = text(1, 255, { trimmed: true })

export const hasDisplayControl = (name: string): boolean => DISPLAY_CONTROL.test(name)

export const DISPLAY_CONTROL_PROBLEM = {
  code: 'invalid_value',
  message: '{f} must not contain line separators or characters that change the direction of text',
} as const satisfies FieldProblem

export const Description = text(1, 1024, { control: 'lines' })

/** The key with which integrators join data. Case-sensitive and never trimmed (D4.3). */
export const NaturalKey = text(1, 255)
  .check((payload) => {
    if (payload.value !== '' && !/^[A-Za-z0-9-]+$/.test(payload.value))
      addProblem(payload, {
        code: 'invalid_value',
        message: '{f} must contain only letters, digits and hyphens',
      })
  })
  .meta({ override: { pattern: '^[A-Za-z0-9-]+$', minLength: 1, maxLength: 255 }, example: 'FORKLIFT-7' })

/** The same for locations, with an example of theirs. */
export const LocationKey = NaturalKey.meta({ example: 'DOCK-1' })
