import { AppError } from '@whereabouts/service-kit/app-error'
import { isUnavailable } from '@whereabouts/service-kit/unavailable'

// In addition to `isUnavailable`: refused and half-open connections, no resources, and conflicts with other sessions.
const CODES = new Set([
  '08001', '08004', '53000', '53100', '53200', '40001', '40P01', '55P03', '57014', 'EAI_AGAIN',
]) // oxfmt-ignore

/**
 * True if the database was unreachable, overloaded or contended, or if the organization had too many statements waiting
 * (ADR 63): the same statement may succeed later.
 */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AppError) return error.type === 'rate_limited' || error.type === 'service_unavailable'
  const { code } = error as { code?: unknown }
  return isUnavailable(error) || (typeof code === 'string' && CODES.has(code))
}
