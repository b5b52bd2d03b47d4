import {
  errorTypes,
  type ConflictOwner,
  type CursorRange,
  type ErrorType,
  type FieldEntry,
} from '@whereabouts/contracts/errors'

type Details = {
  fields?: readonly FieldEntry[]
  conflict?: ConflictOwner
  cursor?: CursorRange
  secondFactor?: true
  count?: number
  headers?: Record<string, string>
  cause?: unknown
  isCounted?: boolean
}

/**
 * An expected failure with an answer for the caller. `detail` and `fields` are sent to the caller. Private
 * information belongs in `cause`, which is only logged. Any other error is a bug and becomes a 500 `internal_error`.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly type: ErrorType
  readonly fields: readonly FieldEntry[] | undefined
  readonly conflict: ConflictOwner | undefined
  readonly cursor: CursorRange | undefined
  readonly secondFactor: true | undefined
  /** How many things stand against the request. */
  readonly count: number | undefined
  /** Sent with the envelope, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
  /** The code that throws it logs a count, so it gets no log line of its own. */
  readonly isCounted: boolean

  constructor(
    type: ErrorType,
    detail: string,
    { fields, conflict, cursor, secondFactor, count, headers = {}, cause, isCounted = false }: Details = {},
  ) {
    // A refusal is an answer, not a fault. Nobody reads its stack, and collecting one costs as much as the answer.
    const { stackTraceLimit } = Error
    if (errorTypes[type].status < 500) Error.stackTraceLimit = 0
    super(detail, cause === undefined ? undefined : { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.type = type
    this.fields = fields
    this.conflict = conflict
    this.cursor = cursor
    this.secondFactor = secondFactor
    this.count = count
    this.headers = headers
    this.isCounted = isCounted
  }

  get status(): number {
    return errorTypes[this.type].status
  }
}
