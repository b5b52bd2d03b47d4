import type { FieldEntry } from '@whereabouts/contracts/errors'
import { isPublicAddress, literalAddress } from '../receivers/address-guard.ts'

/**
 * The problems of a webhook's URL. Empty: it may be stored. Checks scheme, credentials and host only. The addresses
 * of a name may change, so they are checked at every connection. A private address or `localhost` would never get a
 * delivery, so it is refused here.
 */
export function urlProblems(url: string, allowPrivateTargets: boolean): FieldEntry[] {
  const problem = urlProblem(url, allowPrivateTargets)
  return problem === undefined ? [] : [{ field: 'url', code: 'invalid_value', message: `url ${problem}` }]
}

function urlProblem(raw: string, allowPrivateTargets: boolean): string | undefined {
  // The parser accepts spaces, backslashes and missing slashes, which would hide the real target.
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
