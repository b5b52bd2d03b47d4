import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

/** The target resolves into a network that deliveries must not reach. Names no address: it ends in a customer's log. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
  constructor() {
    super('the target address is not public')
  }
}

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')

/**
 * True for global unicast only (D11.4), in any spelling of the address. IPv4-mapped addresses count as what they
 * carry. IPv6 must lie in 2000::/3 besides having no special use: the library takes `::7f00:1`, an old spelling of
 * 127.0.0.1, for ordinary unicast. False for what is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST, 3)
}

/** The address that a URL's host is, without brackets; undefined for a name. The URL parser has normalised `127.1`. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}

/** Refuses when any of a name's addresses is not public: which one is used is not up to us. */
const publicLookup: LookupFunction = (host, options, done) =>
  lookup(host, { ...options, all: true }, (error, found) => {
    const [first] = found ?? []
    const refused =
      error ?? (first && found.every((f) => isPublicAddress(f.address)) ? null : new TargetRefused())
    if (refused || !first) return done(refused, '')
    return options.all ? done(null, found) : done(null, first.address, first.family)
  })

export type TargetAgentOptions = {
  allowPrivateTargets: boolean
  /** Authorities to trust instead of Node's own, as PEM; for tests. */
  ca?: string
  connectTimeoutMs?: number
}

/**
 * The connections to receivers. Each new one is checked: a literal address here, because no lookup happens for it, and
 * a name's addresses in the lookup whose result the socket connects to. Proxy settings of the environment are not
 * read. HTTP/1.1 only, and as many connections per origin as requests: a hanging one must not hold up another.
 */
export function createTargetAgent({
  allowPrivateTargets,
  ca,
  connectTimeoutMs = 3_000,
}: TargetAgentOptions): Agent {
  const options = { timeout: connectTimeoutMs, allowH2: false, ...(ca !== undefined && { ca }) }
  const settings = { allowH2: false, pipelining: 1, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 }
  if (allowPrivateTargets) return new Agent({ ...settings, connect: options })
  const connect = buildConnector({ ...options, lookup: publicLookup })
  return new Agent({
    ...settings,
    connect(target, done) {
      const literal = literalAddress(target.hostname)
      if (literal !== undefined && !isPublicAddress(literal)) return done(new TargetRefused(), null)
      return connect(target, done)
    },
  })
}
