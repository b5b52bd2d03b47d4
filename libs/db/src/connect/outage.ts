import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { isUnavailable } from '@whereabouts/service-kit/errors/unavailable'

// In addition to `isUnavailable`: refused and half-open connections, and no resources.
const CODES = new Set(['08001', '08004', '53000', '53100', '53200', 'EAI_AGAIN'])

const CONTENTION_CODES = new Set(['40001', '40P01', '55P03', '57014'])

/**
 * True if the database was unreachable, overloaded or contended, or if the organization had too many statements waiting
 * (ADR 63): the same statement may succeed later.
 */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AppError) return error.type === 'rate_limited' || error.type === 'service_unavailable'
  return isUnavailable(error) || CODES.has(codeOf(error)) || isContention(error)
}

/**
 * True for the outages in which the server answered: other sessions were in the way, or a time limit ended the statement.
 * Its transaction is rolled back, while after any other outage it may be committed.
 */
export const isContention = (error: unknown): boolean =>
  error instanceof Error && CONTENTION_CODES.has(codeOf(error))

const codeOf = (error: Error) => String((error as { code?: unknown }).code)
