import { ulid } from 'ulid'
import { idBytes } from './random-bytes.ts'

/** The header with the id of a request, in the request and in the response. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** The caller's own id, echoed unchanged and not validated, or a new ULID. */
export function requestIdOf(headers: Record<string, string | string[] | undefined>): string {
  const given = headers[REQUEST_ID_HEADER]
  const first = Array.isArray(given) ? given[0] : given
  return first ? first : ulid(undefined, randomFraction)
}

/** From 0 to below 1 in 256 steps; a character of a ULID needs 32. */
const randomFraction = () => (idBytes(1)[0] ?? 0) / 256
