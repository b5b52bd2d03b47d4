import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { Role } from '@whereabouts/contracts/principal'
import { AppError } from './app-error.ts'

const MIB = 1024 * 1024

/** Errors that every service may answer. Titles and statuses come from the table of D3. */

/** Headers of each 401. */
export const BEARER = { 'www-authenticate': 'Bearer realm="api"' } as const
export const unauthorized = (detail: string) => new AppError('unauthorized', detail, { headers: BEARER })
export const missingAuthorization = () => unauthorized('Missing authorization header')
export const useBearer = () => unauthorized('Use Authorization: Bearer <token>')
export const invalidToken = () => unauthorized('Invalid or expired token')
export const invalidRefreshToken = () => unauthorized('Invalid or expired refresh token')
export const missingScope = (scope: string) => new AppError('forbidden', `Missing required scope: ${scope}`)
/** Only administrators give roles (D15.3). */
export const roleRequired = (role: Role) =>
  new AppError(
    'forbidden',
    `Organization ${role} role required. An administrator of the organization can give it to you`,
  )
export const malformedJson = () => new AppError('bad_request', 'Request body is not valid JSON')
export const bodyNotObject = () => new AppError('bad_request', 'Request body must be a JSON object')
export const bodyIsNull = () => new AppError('bad_request', 'Request body must be a JSON object (RFC 7396)')
export const bodyTooLarge = (maxBytes: number) =>
  new AppError('payload_too_large', `Request body must be at most ${sizeOf(maxBytes)}`)
const sizeOf = (bytes: number) => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`)
export const bodyEndedEarly = () => new AppError('bad_request', 'The request body ended too early')
export const preconditionFailed = () =>
  new AppError(
    'precondition_failed',
    'If-Match names another state than the current one. Read it again, and repeat the change with its ETag',
  )
export const unsupportedMediaType = (allowed: readonly string[]) =>
  new AppError('unsupported_media_type', `Content-Type must be ${allowed.join(' or ')}`)
/** With what the server takes (RFC 9110, 15.5.16). */
export const unsupportedEncoding = (allowed: readonly string[]) =>
  new AppError(
    'unsupported_media_type',
    allowed.length === 0
      ? 'Content-Encoding is not supported here: send the body as it is'
      : `Content-Encoding must be ${allowed.join(' or ')}`,
    { headers: { 'accept-encoding': allowed.join(', ') || 'identity' } },
  )
export const unknownRoute = (path: string) => new AppError('not_found', `Unknown API route: ${path}`)
export const serviceUnavailable = (cause?: unknown, isCounted = false) =>
  new AppError('service_unavailable', 'The service is temporarily unavailable', {
    headers: { 'retry-after': '1' },
    cause,
    isCounted,
  })
/** The database has stopped a statement at its timeout. */
export const tookTooLong = (cause?: unknown) =>
  new AppError(
    'service_unavailable',
    'The request took too long. Narrow it, for example with filters or a smaller limit or offset',
    { headers: { 'retry-after': '1' }, cause },
  )
/** Too many requests of one caller wait for an answer (ADR 63). Its text is that of every 429 (D9.9). */
export const tooManyWaiting = () =>
  new AppError('rate_limited', 'Retry after 1 seconds', { headers: { 'retry-after': '1' } })

/**
 * Limit of entries in one answer: a body of a megabyte may have a hundred thousand unknown keys. The detail counts
 * all.
 */
const MAX_ENTRIES = 1_000

type Entries = readonly [FieldEntry, ...FieldEntry[]]

/**
 * `fields` are shown in this order; the detail quotes the first and counts the others (D3.2). Callers whose entries
 * are bounded raise `max`, if none may be left out.
 */
export function validationFailed(fields: Entries, max = MAX_ENTRIES): AppError {
  const others = fields.length - 1
  const noun = others === 1 ? 'error' : 'errors'
  const suffix = others === 0 ? '' : ` (and ${others} more validation ${noun})`
  return new AppError('validation_error', `${fields[0].message}${suffix}`, { fields: fields.slice(0, max) })
}

/** Two fields that name one resource disagree (D5.3): an entry for each of them. */
export function mustReferToSameResource(first: string, second: string): [FieldEntry, FieldEntry] {
  const code = 'ambiguous_fields'
  const message = `${first} and ${second} must refer to the same resource`
  return [
    { field: first, code, message },
    { field: second, code, message },
  ]
}

/** Throws if there is at least one problem. */
export function rejectIfAny(fields: readonly FieldEntry[], max = MAX_ENTRIES): void {
  const [first, ...rest] = fields
  if (first) throw validationFailed([first, ...rest], max)
}
