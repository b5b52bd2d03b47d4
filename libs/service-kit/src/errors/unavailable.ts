// Error codes of PostgreSQL and NATS clients when the server is unreachable or out of resources (SQLSTATE classes 08,
// 53, 57).
const CODES = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT',
  '08000', '08003', '08006', '53300', '57P01', '57P02', '57P03',
]) // oxfmt-ignore

/** True if a dependency could not be reached: then our caller gets a 503 and retries. */
export function isUnavailable(error: unknown): boolean {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  if (typeof code === 'string' && CODES.has(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|connection error and is not queryable/.test(
    message,
  )
}
