// SQLSTATE: connection exceptions, insufficient resources, operator intervention, and losing against other sessions.
const SQLSTATES = new Set([
  '08000', '08001', '08003', '08004', '08006', '53000', '53100', '53200', '53300', '57P01', '57P02', '57P03',
  '40001', '40P01', '55P03', '57014',
]) // prettier-ignore
const SOCKET_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'])

/** True when the database was away, overloaded or contended: the same statement may succeed later. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && (SQLSTATES.has(code) || SOCKET_ERRORS.has(code))) return true
  return /Connection terminated|timeout exceeded when trying to connect/.test(error.message)
}
