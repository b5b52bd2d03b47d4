import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isPublicAddress, literalAddress, TargetRefused } from './address-guard.ts'
import { createResolver, publicLookup, type Resolver } from './public-lookup.ts'

/** The connections to receivers. */
export type TargetAgents = {
  /** For a request to this URL. Throws TargetRefused for an address that is not public. */
  agentFor(url: URL): HttpAgent
  /** Of all requests over TLS. */
  readonly https: HttpsAgent
  destroy(): void
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

/** Whatever the environment says of certificates or of proxies (which would connect to what nobody has checked). */
const ALWAYS = { keepAlive: true, timeout: IDLE_MS, rejectUnauthorized: true } as const

/**
 * Each new connection is checked: a literal address before the request, because no lookup happens for it and no
 * redirect leads elsewhere, and a name's addresses in the lookup whose result the socket connects to. As many
 * connections per origin as requests: a hanging one must not hold up another.
 */
export function createTargetAgents(options: TargetAgentOptions): TargetAgents {
  return options.allowPrivateTargets ? openAgents(options) : guardedAgents(options)
}

function guardedAgents({ ca, resolver = createResolver() }: TargetAgentOptions): TargetAgents {
  const https = new HttpsAgent({ ...ALWAYS, lookup: publicLookup(resolver), ...(ca !== undefined && { ca }) })
  return {
    https,
    agentFor(url) {
      if (url.protocol !== 'https:') throw new Error('plain http is not allowed')
      const literal = literalAddress(url.hostname)
      if (literal !== undefined && !isPublicAddress(literal)) throw new TargetRefused()
      return https
    },
    destroy: () => https.destroy(),
  }
}

function openAgents({ ca }: TargetAgentOptions): TargetAgents {
  const http = new HttpAgent({ keepAlive: true, timeout: IDLE_MS })
  const https = new HttpsAgent({ ...ALWAYS, ...(ca !== undefined && { ca }) })
  return {
    https,
    agentFor: (url) => (url.protocol === 'https:' ? https : http),
    destroy() {
      http.destroy()
      https.destroy()
    },
  }
}
