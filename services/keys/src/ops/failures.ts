import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import { RequestError } from '@whereabouts/messaging/messages/request'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { ConfigError } from '@whereabouts/service-kit/service/env'
import { SealedKeyError } from '../credentials/tokens/sealed-keys.ts'

/** The kind of failure, for scripts. It determines the exit code. */
const EXIT_CODES = {
  usage: 2,
  configuration: 78,
  not_found: 1,
  conflict: 1,
  too_early: 1,
  unavailable: 1,
  failure: 1,
}
type FailureType = keyof typeof EXIT_CODES

/** A failure that the operator can act on, printed without a stack. `details` join the JSON of the error. */
export class OpsError extends Error {
  override readonly name = 'OpsError'
  readonly type: FailureType
  readonly details: object

  constructor(type: FailureType, message: string, details: object = {}) {
    super(message)
    this.type = type
    this.details = details
  }
}

export const orgMissing = (orgId: number) => new OpsError('not_found', `There is no organization ${orgId}.`)

export type Failure = {
  exitCode: number
  text: string
  json: { error: { type: FailureType; message: string } }
}

/** The output for a failure. Unexpected errors keep their stack. */
export function describeFailure(error: unknown): Failure {
  const { type, message, details } = classify(error)
  return { exitCode: EXIT_CODES[type], text: message, json: { error: { type, message, ...details } } }
}

function classify(error: unknown): { type: FailureType; message: string; details?: object } {
  if (error instanceof OpsError) return error
  if (error instanceof ConfigError || error instanceof SealedKeyError)
    return { type: 'configuration', message: error.message }
  if (error instanceof AppError)
    return { type: error.type === 'conflict' ? 'conflict' : 'failure', message: error.message }
  if (error instanceof RequestError)
    return { type: 'unavailable', message: `A service did not answer: ${error.message}` }
  if (!(error instanceof Error)) return { type: 'failure', message: String(error) }
  const reason = reasonOf(error)
  if (isDatabaseOutage(error))
    return { type: 'unavailable', message: `The database cannot be used: ${reason}` }
  // 'severity' marks errors of PostgreSQL: a wrong password, missing migrations.
  if ('severity' in error) return { type: 'failure', message: `The database refused: ${reason}` }
  return { type: 'failure', message: error.stack ?? reason }
}

/** A refused connection to a name with several addresses is an AggregateError. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map(String).join('; ') : error.message
