import type { FieldEntry } from '@whereabouts/contracts/errors'
import { isPublicAddress, literalAddress } from '../receivers/address-guard.ts'

/**
 * What is wrong with a webhook's URL, in order; empty when it may be stored. Only scheme, credentials and host are
 * judged here: what a name resolves to may change, so addresses are checked at every connection. A host that is an
 * address itself, or `localhost`, will never be delivered to and is better refused now.
 */
export function urlProblems(url: string, allowPrivateTargets: boolean): FieldEntry[] {
  const problem = urlProblem(url, allowPrivateTargets)
  return problem === undefined ? [] : [{ field: 'url', code: 'invalid_value', message: `url ${problem}` }]
}

function urlProblem(raw: string, allowPrivateTargets: boolean): string | undefined {
  // The parser forgives spaces, backslashes and missing slashes; what is stored should be what is meant.
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#\s\\]+)[^\s\\]*$/.exec(raw)?.[1]
  const url = authority === undefined ? null : URL.parse(raw)
  if (authority === undefined || !url) return 'must be an absolute URL'
  if (url.protocol !== 'https:' && !(allowPrivateTargets && url.protocol === 'http:')) return 'must use https'
  if (authority.includes('@')) return 'must not contain credentials'
  if (!allowPrivateTargets && !mayBePublic(url.hostname)) return 'must not point to a private address'
  return undefined
}

function mayBePublic(hostname: string): boolean {
  const literal = literalAddress(hostname)
  return literal === undefined ? !/(^|\.)localhost\.?$/.test(hostname) : isPublicAddress(literal)
}
