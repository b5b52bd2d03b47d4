// What a client of PostgreSQL or NATS throws when the other side is away or has no room (SQLSTATE class 08, 53, 57).
const CODES = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT',
  '08000', '08003', '08006', '53300', '57P01', '57P02', '57P03',
]) // prettier-ignore

/** True when something we depend on could not be reached: our caller is told to come again. */
export function isUnavailable(error: unknown): boolean {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  if (typeof code === 'string' && CODES.has(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|connection error and is not queryable/.test(
    message,
  )
}
