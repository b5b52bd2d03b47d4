/** An error of the API, before it has its envelope. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor(status: number, type: string, title: string, detail: string, more: object = {}) {
    super(detail)
    this.status = status
    this.body = { type, title, status, detail, ...more }
  }
}

type Problem = { field: string; code: string; message: string; params?: object }
type Check = (field: string, value: unknown) => Problem | readonly Problem[] | undefined
export type Rules = Readonly<Record<string, { check: Check; required?: true }>>
export type Body = Record<string, unknown>

const problem = (field: string, code: string, text: string, params?: object): Problem => ({
  field,
  code,
  message: `${field} ${text}`,
  ...(params && { params }),
})

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

const typed =
  (type: string, more: Check = () => undefined): Check =>
  (field, value) => {
    const received_type = typeOf(value)
    if (received_type === type) return more(field, value)
    const text = `must be ${type}; received ${received_type}`
    return problem(field, 'invalid_value', text, { expected_type: type, received_type })
  }
const nullable =
  (check: Check): Check =>
  (field, value) =>
    value === null ? undefined : check(field, value)
const text = (most: number, pattern?: RegExp, says = ''): Check =>
  typed('string', (field, value) => {
    const { length } = Array.from(String(value))
    if (length < 1) return problem(field, 'too_short', 'must be at least 1 character', { min_length: 1 })
    if (length > most)
      return problem(field, 'too_long', `must be at most ${most} characters`, { max_length: most })
    return pattern && !pattern.test(String(value)) ? problem(field, 'invalid_value', says) : undefined
  })
const oneOf =
  (...allowed_values: string[]): Check =>
  (field, value) =>
    allowed_values.includes(value as string)
      ? undefined
      : problem(field, 'invalid_value', `must be one of: ${allowed_values.join(', ')}`, { allowed_values })

const KEY = text(255, /^[A-Za-z0-9-]+$/, 'must contain only letters, digits and hyphens')
const COMMON: Rules = {
  name: { check: text(255), required: true },
  external_key: { check: KEY, required: true },
  description: { check: nullable(text(1024)) },
}
const LAST: Rules = {
  is_active: { check: typed('boolean') },
  valid_from: { check: typed('string') },
  valid_to: { check: nullable(typed('string')) },
  tags: {
    check: nullable(
      typed('array', (field, value) =>
        (value as unknown[]).flatMap((tag, i) => problemsOf(tag, TAG, false, `${field}[${i}].`)),
      ),
    ),
  },
}

/** What the bodies of each kind may have, in the order in which the API names problems. */
export const FIELDS: Readonly<Record<'asset' | 'location', Rules>> = {
  asset: {
    ...COMMON,
    type: { check: oneOf('asset', 'person', 'inventory') },
    metadata: { check: typed('object') },
    home_location_id: { check: nullable(typed('number')) },
    home_location_external_key: { check: nullable(KEY) },
    ...LAST,
  },
  location: {
    ...COMMON,
    parent_id: { check: nullable(typed('number')) },
    parent_external_key: { check: nullable(KEY) },
    ...LAST,
  },
}
export const TAG: Rules = {
  tag_type: { check: oneOf('rfid', 'ble', 'barcode'), required: true },
  value: { check: text(255), required: true },
}
export const SAVE: Rules = {
  asset_identifiers: {
    check: typed('array', (field, value) =>
      (value as unknown[]).length > 0
        ? undefined
        : problem(field, 'too_short', 'must contain at least 1 item', { min_length: 1 }),
    ),
    required: true,
  },
  location_identifier: { check: KEY, required: true },
}

export const BATCH: Rules = { items: { check: typed('array'), required: true } }

/** Throws a `Refusal` that names all problems of a body. `isChange`: a field that is absent stays as it is. */
export function validate(body: unknown, rules: Rules, isChange = false): Body {
  const problems = problemsOf(body, rules, isChange)
  if (problems.length > 0) throw allOf(problems)
  return body as Body
}

function problemsOf(body: unknown, rules: Rules, isChange: boolean, prefix = ''): readonly Problem[] {
  if (typeOf(body) !== 'object') return [problem(prefix || 'body', 'invalid_value', 'must be an object')]
  const given = body as Body
  const unknown = Object.keys(given)
    .filter((field) => !(field in rules))
    .map((field) => `${prefix}${field}`)
    .map((field) => ({ field, code: 'unknown_field', message: `unknown field "${field}"` }))
  const known = Object.entries(rules).flatMap(([field, { check, required }]) => {
    const path = `${prefix}${field}`
    if (given[field] === undefined)
      return required && !isChange ? [problem(path, 'required', 'is required')] : []
    return check(path, given[field]) ?? []
  })
  return [...unknown, ...known]
}

const allOf = (fields: readonly Problem[]) => {
  const others = fields.length - 1
  const more = others === 0 ? '' : ` (and ${others} more validation error${others === 1 ? '' : 's'})`
  const detail = `${fields[0]?.message ?? ''}${more}`
  return new Refusal(400, 'validation_error', 'Validation failed', detail, { fields })
}

/** 400: one problem. `says` goes on after the name of the field. */
export const invalid = (field: string, code: string, says: string, params?: object): Refusal =>
  allOf([problem(field, code, says, params)])
/** 400: a field names what does not exist. */
export const dangling = (field: string, message: string, params?: object): Refusal =>
  allOf([{ field, code: 'fk_not_found', message, ...(params && { params }) }])
export const notFound = (what: string): Refusal =>
  new Refusal(404, 'not_found', 'Not found', `${what} not found`)
export const conflict = (detail: string, owner?: object): Refusal =>
  new Refusal(409, 'conflict', 'Conflict', detail, owner && { conflict: owner })
/** 400, so that a program notices that its test needs the API: a 404 could be the answer that it expects. */
export const unknownHere = (what: string): Refusal =>
  new Refusal(400, 'bad_request', 'Bad request', `The test double has no ${what}`)
