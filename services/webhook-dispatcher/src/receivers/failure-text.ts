import { errors } from 'undici'
import { TargetRefused } from './address-guard.ts'

const INVALID = 'the answer is not valid HTTP'

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before a complete answer',
  EPIPE: 'connection closed before a complete answer',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the host is not reachable',
  EADDRNOTAVAIL: 'the host is not reachable',
  // In development, names are resolved by the operating system.
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  EPROTO: 'TLS handshake failed',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  // Also a response of 101, or an unexpected 100: undici ends the connection (ADR 23).
  UND_ERR_SOCKET: 'connection closed before a complete answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: INVALID,
}

/** Built from codes, never from messages, because messages name addresses that customers must not learn. */
export function failureText(error: unknown): string {
  const causes = chainOf(error)
  const refused = causes.find((cause) => cause instanceof TargetRefused)
  if (refused) return refused.message
  const code = causes
    .flatMap((cause) => ('code' in cause ? [cause.code] : []))
    .find((c) => typeof c === 'string')
  if (causes.some((cause) => cause instanceof errors.HTTPParserError)) return INVALID
  if (code === undefined) return 'request failed'
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) return `certificate not trusted (${code})`
  return TEXTS[code] ?? kindOf(code)
}

function kindOf(code: string): string {
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return `TLS handshake failed (${code})`
  return `request failed (${code})`
}

/** The error, its causes and, if several addresses were tried, their errors. */
function chainOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 4) return []
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return [error, ...[error.cause, ...inner].flatMap((cause) => chainOf(cause, depth + 1))]
}
