import { ulid } from 'ulid'
import { idBytes } from '../random-bytes.ts'

/** The header with the id of a request, in the request and in the response. The caller's own id is not validated. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** The id of a request whose caller sent none. */
export const newRequestId = () => ulid(undefined, randomFraction)

/** From 0 to below 1 in 256 steps; a character of a ULID needs 32. */
const randomFraction = () => (idBytes(1)[0] ?? 0) / 256
