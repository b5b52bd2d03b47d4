/** All values of `error.type` with HTTP status and title (D3). Public and permanent, because clients branch on them. */
export const errorTypes = {
  validation_error: { status: 400, title: 'Validation failed' },
  bad_request: { status: 400, title: 'Bad request' },
  unauthorized: { status: 401, title: 'Authentication required' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict' },
  gone: { status: 410, title: 'Gone' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  rate_limited: { status: 429, title: 'Rate limited' },
  internal_error: { status: 500, title: 'Internal server error' },
  service_unavailable: { status: 503, title: 'Service unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorType = keyof typeof errorTypes

/** The `Link` header to the section of the documentation that explains errors of this type. */
export const helpLink = (type: ErrorType): { link: string } => ({
  link: `</docs/errors#${type}>; rel="help"`,
})

/** Values of `error.fields[].code`. The set may grow; a code never changes its meaning. */
export const fieldCodes = [
  'required',
  'invalid_value',
  'unknown_field',
  'invalid_context',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'fk_not_found',
  'ambiguous_fields',
  'read_only',
] as const

export type FieldCode = (typeof fieldCodes)[number]

/** One problem of a request. `field` is a JSON path (`tags[0].value`) or the name of a parameter. */
export type FieldEntry = {
  field: string
  code: FieldCode
  message: string
  params?: Record<string, unknown>
}

/** Who has a key or tag that a request wanted (D12.3). */
export type ConflictOwner = { resource: 'asset' | 'location'; id: number; external_key: string }

/** What can be read instead of what a cursor named (D13.12). */
export type CursorRange = { oldest: string; newest: string }

/** The body of each response that is not 2xx. */
export type ErrorEnvelope = {
  error: {
    type: ErrorType
    title: string
    status: number
    detail: string
    instance: string
    request_id: string
    fields?: FieldEntry[]
    conflict?: ConflictOwner
    cursor?: CursorRange
    /** The password of a sign-in is right, and a code is missing or wrong (D15.2). */
    second_factor?: true
    /** How many alerts a rule would raise at once (D14.4). */
    count?: number
  }
}
