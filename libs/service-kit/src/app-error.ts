import { errorTypes, type ErrorType, type FieldEntry } from '@whereabouts/contracts/errors'

type Details = {
  fields?: readonly FieldEntry[]
  headers?: Record<string, string>
  cause?: unknown
  isCounted?: boolean
}

/**
 * A failure we expected and have an answer for. `detail` and `fields` are sent to the caller; anything private
 * belongs in `cause`, which is only logged. Any other throwable is a bug: a 500 `internal_error`.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly type: ErrorType
  readonly fields: readonly FieldEntry[] | undefined
  /** Sent beside the envelope, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
  /** Who throws it tells the log how often: no line each. */
  readonly isCounted: boolean

  constructor(
    type: ErrorType,
    detail: string,
    { fields, headers = {}, cause, isCounted = false }: Details = {},
  ) {
    // A refusal is an answer, not a fault: nobody reads where it was made, and finding that out costs as much as the answer.
    const { stackTraceLimit } = Error
    if (errorTypes[type].status < 500) Error.stackTraceLimit = 0
    super(detail, cause === undefined ? undefined : { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.type = type
    this.fields = fields
    this.headers = headers
    this.isCounted = isCounted
  }

  get status(): number {
    return errorTypes[this.type].status
  }
}
