import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { TokenRequest } from '@whereabouts/contracts/resources/keys/tokens'
import { readBasic, type ClientCredentials } from '@whereabouts/service-kit/http/client-credentials'

/** Credentials, or fields to fix, or an `Authorization` header without credentials. */
export type CredentialsReading = ClientCredentials | { problems: readonly FieldEntry[] } | { malformed: true }

/**
 * Client credentials from HTTP Basic or from the body, but not both (RFC 6749, 2.3). Only the client id may be in both,
 * if it is the same.
 */
export function readCredentials(body: TokenRequest, authorization: string | undefined): CredentialsReading {
  if (authorization === undefined) return fromBody(body)
  const basic = readBasic(authorization)
  if (!basic) return { malformed: true }
  const problems = [
    ...(body.client_id !== undefined && body.client_id !== basic.clientId ? [ambiguous('client_id')] : []),
    ...(body.client_secret !== undefined ? [ambiguous('client_secret')] : []),
  ]
  return problems.length > 0 ? { problems } : basic
}

function fromBody({ client_id, client_secret }: TokenRequest): CredentialsReading {
  if (client_id !== undefined && client_secret !== undefined)
    return { clientId: client_id, clientSecret: client_secret }
  const missing = [
    ...(client_id === undefined ? [required('client_id')] : []),
    ...(client_secret === undefined ? [required('client_secret')] : []),
  ]
  return { problems: missing }
}

export const required = (field: string): FieldEntry => ({
  field,
  code: 'required',
  message: `${field} is required`,
})

const ambiguous = (field: string): FieldEntry => ({
  field,
  code: 'ambiguous_fields',
  message: `${field} must not be sent together with the Authorization header`,
})
