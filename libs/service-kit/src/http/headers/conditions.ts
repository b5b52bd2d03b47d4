import type { IncomingHttpHeaders } from 'node:http'
import { hash } from 'node:crypto'
import { preconditionFailed } from '../../errors/errors.ts'

/**
 * Conditional requests (RFC 9110, 13; D12.7). A client that got a resource with an entity tag asks again only for another
 * state, and changes only the state that it has seen.
 */

/** The strong entity tag of a resource as answers show it, the same in every encoding. */
export const entityTag = (view: object): string =>
  `"${hash('sha256', JSON.stringify(view), 'base64url').slice(0, 22)}"`

/** Whether the client has this state already. Compares weakly, as the RFC wants for `If-None-Match`. */
export function isKnownTo(headers: IncomingHttpHeaders, etag: string): boolean {
  const sent = headers['if-none-match']
  return sent !== undefined && (isAny(sent) || tagsIn(sent).some((tag) => tag.replace(/^W\//, '') === etag))
}

/**
 * Throws 412 if `If-Match` names other states than that of `view`. Call with the row locked, after 404. A weak tag matches
 * nothing.
 */
export function checkIfMatch(sent: string | undefined, view: object): void {
  if (sent === undefined || isAny(sent)) return
  if (!tagsIn(sent).includes(entityTag(view))) throw preconditionFailed()
}

const isAny = (sent: string) => sent.trim() === '*'

/** Tags may contain commas. Anything else matches nothing. */
const tagsIn = (sent: string): string[] => sent.match(/(?:W\/)?"[^"]*"/g) ?? []
