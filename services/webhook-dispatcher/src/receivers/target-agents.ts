import { Agent, buildConnector, type Dispatcher } from 'undici'
import { isPublicAddress, literalAddress, TargetRefused } from './address-guard.ts'
import { createResolver, publicLookup, type Resolver } from './public-lookup.ts'

/** The connections to receivers. */
export type TargetAgents = {
  /** For a request to this URL. Throws TargetRefused for an address that is not public. */
  agentFor(url: URL): Dispatcher
  destroy(): Promise<void>
}

export type TargetAgentOptions = {
  /** Also plain http: for development only. */
  allowPrivateTargets: boolean
  /** Authorities to trust instead of Node's own, as PEM; for tests. */
  ca?: string
  /** Instead of the name servers of this machine; for tests. */
  resolver?: Resolver
}

/**
 * Idle connections are closed before most servers do it: a request on one that is just being closed fails. A server
 * that announces a shorter time is believed.
 */
const IDLE_MS = 4_000
/** No shorter than a whole attempt may take; who gives an attempt up leaves its connection to this. */
const CONNECT_MS = 6_000
const MAX_HEADER_BYTES = 16 * 1024

/** HTTP/1.1, one request at a time on a connection; the time of an attempt is counted by whoever makes it. */
const HTTP = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: IDLE_MS,
  keepAliveMaxTimeout: IDLE_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: MAX_HEADER_BYTES,
}
/** Whatever the environment says of certificates. Its proxies are not read: they would connect to what nobody checked. */
const TLS = { allowH2: false, rejectUnauthorized: true, timeout: CONNECT_MS }

/**
 * Each new connection is checked: a literal address before the request, because no lookup happens for it and no
 * redirect leads elsewhere, and a name's addresses in the lookup whose result the socket connects to. As many
 * connections per origin as requests: a hanging one must not hold up another.
 */
export function createTargetAgents({
  allowPrivateTargets,
  ca,
  resolver = createResolver(),
}: TargetAgentOptions): TargetAgents {
  const lookup = allowPrivateTargets ? {} : { lookup: publicLookup(resolver) }
  const connect = buildConnector({ ...TLS, ...lookup, ...(ca !== undefined && { ca }) })
  const agent = new Agent({ ...HTTP, connect })
  return {
    agentFor(url) {
      if (!allowPrivateTargets) refusePrivate(url)
      return agent
    },
    destroy: () => agent.destroy(),
  }
}

function refusePrivate(url: URL): void {
  if (url.protocol !== 'https:') throw new Error('plain http is not allowed')
  const literal = literalAddress(url.hostname)
  if (literal !== undefined && !isPublicAddress(literal)) throw new TargetRefused()
}
