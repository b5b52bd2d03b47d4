import { Agent, buildConnector, type Dispatcher } from 'undici'
import { isPublicAddress, literalAddress, portProblem, TargetRefused, type Ports } from './address-guard.ts'
import { createResolver, publicLookup, type Resolver } from './public-lookup.ts'

/** The connections to receivers. */
export type TargetAgents = {
  /** For a request to this URL. Throws TargetRefused if its host is an address that is not public, or its port is not allowed. */
  agentFor(url: URL): Dispatcher
  destroy(): Promise<void>
}

export type TargetAgentOptions = {
  /** Allows plain http too. For development only. */
  allowPrivateTargets: boolean
  /** Other ports are refused, unless private targets are allowed. */
  ports?: Ports
  /** Authorities to trust instead of Node's own, as PEM. For tests. */
  ca?: string
  /** Used instead of the name servers of this machine. For tests. */
  resolver?: Resolver
}

/**
 * Idle connections are closed before most servers close them, because a request on a connection that is being closed
 * fails. If a server announces a shorter time, that time counts.
 */
const IDLE_MS = 4_000
/** Longer than the timeout of an attempt: a connection of an aborted attempt ends after this time. */
const CONNECT_MS = 6_000
const MAX_HEADER_BYTES = 16 * 1024

/** HTTP/1.1, one request at a time on a connection. `exchange` has the timeout of an attempt. */
const HTTP = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: IDLE_MS,
  keepAliveMaxTimeout: IDLE_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: MAX_HEADER_BYTES,
}
/**
 * The environment cannot change the checks. Its proxies are ignored, because they would connect to unchecked
 * addresses.
 */
const TLS = { allowH2: false, rejectUnauthorized: true, timeout: CONNECT_MS }

/**
 * Checks each new connection. A literal address is checked before the request, because it has no lookup and no
 * redirect is followed. The addresses of a name are checked in the lookup that the socket uses. An origin may have as
 * many connections as requests, so that a hanging request does not delay another.
 */
export function createTargetAgents({
  allowPrivateTargets,
  ports,
  ca,
  resolver = createResolver(),
}: TargetAgentOptions): TargetAgents {
  const lookup = allowPrivateTargets ? {} : { lookup: publicLookup(resolver) }
  const connect = buildConnector({ ...TLS, ...lookup, ...(ca !== undefined && { ca }) })
  const agent = new Agent({ ...HTTP, connect })
  return {
    agentFor(url) {
      if (!allowPrivateTargets) refuse(url, ports)
      return agent
    },
    destroy: () => agent.destroy(),
  }
}

function refuse(url: URL, ports: Ports): void {
  if (url.protocol !== 'https:') throw new Error('plain http is not allowed')
  const literal = literalAddress(url.hostname)
  if (literal !== undefined && !isPublicAddress(literal)) throw new TargetRefused()
  const problem = portProblem(url, ports)
  if (problem !== undefined) throw new TargetRefused(`the webhook ${problem}`)
}
