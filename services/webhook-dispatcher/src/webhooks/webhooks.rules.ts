import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { Filter } from '../db.ts'
import type { Settings } from './changed-columns.sql.ts'
import { isPublicAddress, literalAddress, portProblem, type Ports } from '../receivers/address-guard.ts'

type SentFilter = { [K in keyof Filter]?: Filter[K] | undefined }

/** As they are stored: a filter is whole, or null without a condition. What was not sent stays undefined. */
export function settingsOf({ event_types, retry, filter }: Sent): Settings {
  return { event_types, retry, filter: filter === undefined ? undefined : filterOf(filter ?? {}) }
}
type Sent = Omit<Settings, 'filter'> & { filter?: SentFilter | null | undefined }

function filterOf({ asset_types = [], location_ids = [], include_descendants = false }: SentFilter) {
  const hasCondition = asset_types.length > 0 || location_ids.length > 0
  return hasCondition ? { asset_types, location_ids, include_descendants } : null
}

/**
 * The problems of a webhook's URL. Empty: it may be stored. Checks scheme, credentials, host and port only. The addresses
 * of a name may change, so they are checked at every connection. A private address or `localhost` would never get a
 * delivery, so it is refused here.
 */
export function urlProblems(url: string, allowPrivateTargets: boolean, ports?: Ports): FieldEntry[] {
  const problem = urlProblem(url, allowPrivateTargets, ports)
  return problem === undefined ? [] : [{ field: 'url', code: 'invalid_value', message: `url ${problem}` }]
}

/** Why requests must not go there; undefined if they may. */
export function urlProblem(raw: string, allowPrivateTargets: boolean, ports?: Ports): string | undefined {
  // The parser accepts spaces, backslashes and missing slashes, which would hide the real target.
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#\s\\]+)[^\s\\]*$/.exec(raw)?.[1]
  const url = authority === undefined ? null : URL.parse(raw)
  if (authority === undefined || !url) return 'must be an absolute URL'
  if (url.protocol !== 'https:' && !(allowPrivateTargets && url.protocol === 'http:')) return 'must use https'
  if (authority.includes('@')) return 'must not contain credentials'
  if (!allowPrivateTargets && !mayBePublic(url.hostname)) return 'must not point to a private address'
  return allowPrivateTargets ? undefined : portProblem(url, ports)
}

function mayBePublic(hostname: string): boolean {
  const literal = literalAddress(hostname)
  return literal === undefined ? !/(^|\.)localhost\.?$/.test(hostname) : isPublicAddress(literal)
}
