import { isUnavailable } from '@whereabouts/service-kit/unavailable'

// Beyond what is unavailable: refused and half-open connections, no resources, and losing against other sessions.
const CODES = new Set([
  '08001', '08004', '53000', '53100', '53200', '40001', '40P01', '55P03', '57014', 'EAI_AGAIN',
]) // prettier-ignore

/** True when the database was away, overloaded or contended: the same statement may succeed later. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return isUnavailable(error) || (typeof code === 'string' && CODES.has(code))
}
