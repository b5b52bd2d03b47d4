import type { z } from 'zod'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { addedProblem } from '@whereabouts/contracts/rules/text'

type Issue = z.core.$ZodIssue
type Part = 'path' | 'query' | 'body'

/**
 * The only place that turns zod issues into field entries, with the texts of D3. Unknown keys come first, sorted,
 * then the order of the schema. Parse with `reportInput: true`: without the input, a missing value, null and a wrong
 * type look the same.
 */
export function fieldEntries(found: readonly Issue[], part: Part): FieldEntry[] {
  const issues = found.flatMap(ofAlternative)
  const unknown = issues
    .flatMap((issue) => unknownFields(issue, part))
    .toSorted((a, b) => (a.field < b.field ? -1 : 1))
  const rest = issues.filter((issue) => issue.code !== 'unrecognized_keys').map(fieldEntry)
  return firstPerField([...unknown, ...rest]) // zod adds a length issue if a list was sent instead of a text
}

/** Of a value with alternatives, such as a text or an object: the problems of the one whose type was sent, else of the first. */
function ofAlternative(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const hasType = (issues: readonly Issue[]) =>
    issues.every(({ code, path }) => code !== 'invalid_type' || path.length > 0)
  const chosen = issue.errors.find(hasType) ?? issue.errors[0] ?? []
  return chosen.map((inner) => Object.assign({}, inner, { path: [...issue.path, ...inner.path] }))
}

function unknownFields(issue: Issue, part: Part): FieldEntry[] {
  if (issue.code !== 'unrecognized_keys') return []
  const noun = part === 'query' ? 'parameter' : 'field'
  return issue.keys.map((key) => {
    const field = fieldName([...issue.path, key])
    return { field, code: 'unknown_field', message: `unknown ${noun} "${field}"` }
  })
}

/** `tags[0].value` for the path ['tags', 0, 'value']. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
}

function fieldEntry(issue: Issue): FieldEntry {
  const field = fieldName(issue.path)
  const own = ownEntry(field, issue)
  if (own) return own
  if (issue.input === undefined) return { field, code: 'required', message: `${field} is required` }
  if (issue.input === null) return nullEntry(field, issue)
  return fromTemplate(field, issue)
}

/** Problems that a schema of ours added. */
function ownEntry(field: string, issue: Issue): FieldEntry | undefined {
  const problem = addedProblem(issue)
  if (!problem) return undefined
  const { code, message, params } = problem
  const worded = message.replaceAll('{f}', field)
  return params ? { field, code, message: worded, params } : { field, code, message: worded }
}

function nullEntry(field: string, issue: Issue): FieldEntry {
  const params = { expected_type: expectedType(issue), received_type: 'null' }
  return { field, code: 'invalid_value', message: `${field} cannot be null`, params }
}

function fromTemplate(field: string, issue: Issue): FieldEntry {
  switch (issue.code) {
    case 'too_small':
      return tooSmall(field, issue)
    case 'too_big':
      return tooBig(field, issue)
    case 'invalid_value':
      if (typeof issue.input === 'string') return notAllowed(field, issue.values)
      return wrongType(field, issue)
    case 'invalid_type':
      return wrongType(field, issue)
    default:
      return { field, code: 'invalid_value', message: `${field} is not valid` }
  }
}

function tooSmall(field: string, issue: Extract<Issue, { code: 'too_small' }>): FieldEntry {
  const n = Number(issue.minimum)
  if (isNumeric(issue.origin))
    return { field, code: 'too_small', message: `${field} must be ≥ ${n}`, params: { min: n } }
  const message =
    issue.origin === 'string'
      ? `${field} must be at least ${n} character${n === 1 ? '' : 's'}`
      : `${field} must contain at least ${n} item${n === 1 ? '' : 's'}`
  return { field, code: 'too_short', message, params: { min_length: n } }
}

function tooBig(field: string, issue: Extract<Issue, { code: 'too_big' }>): FieldEntry {
  const n = Number(issue.maximum)
  if (isNumeric(issue.origin))
    return { field, code: 'too_large', message: `${field} must be ≤ ${n}`, params: { max: n } }
  const unit = issue.origin === 'string' ? 'be at most' : 'contain at most'
  const noun = issue.origin === 'string' ? 'characters' : 'items'
  return { field, code: 'too_long', message: `${field} must ${unit} ${n} ${noun}`, params: { max_length: n } }
}

const isNumeric = (origin: string) => origin === 'number' || origin === 'int' || origin === 'bigint'

function notAllowed(field: string, values: readonly unknown[]): FieldEntry {
  const message = `${field} must be one of: ${values.join(', ')}`
  return { field, code: 'invalid_value', message, params: { allowed_values: values } }
}

function wrongType(field: string, issue: Issue): FieldEntry {
  const [expected, received] = [expectedType(issue), jsonType(issue.input)]
  const params = { expected_type: expected, received_type: received }
  return {
    field,
    code: 'invalid_value',
    message: `${field} must be ${expected}; received ${received}`,
    params,
  }
}

/** The JSON name of the type that the schema expects. */
function expectedType(issue: Issue): string {
  if (issue.code === 'invalid_value') return 'string'
  if (issue.code !== 'invalid_type') return 'value'
  if (issue.expected === 'int' || issue.expected === 'number') return 'integer' // all numbers of the API are integers
  if (issue.expected === 'tuple') return 'array'
  return issue.expected === 'record' ? 'object' : issue.expected
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function firstPerField(entries: readonly FieldEntry[]): FieldEntry[] {
  const seen = new Set<string>()
  return entries.filter(({ field }) => !seen.has(field) && seen.add(field))
}
