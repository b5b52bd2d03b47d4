import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The target lies in a network that deliveries must not reach. Names no address: it ends in a customer's log. For a
 * name it says the same as for one that does not exist, so that nobody can list the names of our own network.
 */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
  constructor(message = 'the target address is not public') {
    super(message)
  }
}

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')

/**
 * Inside 2000::/3 and taken for ordinary unicast by the library, but set aside for something else: the whole of
 * 2001::/23 (protocol assignments, ORCHIDs, AMT, …), 3ffe::/16 (6bone), 5f00 and up lie outside anyway.
 */
const SET_ASIDE = ['2001::/23', '2002::/16', '2001:db8::/32', '3fff::/20', '3ffe::/16'].map((cidr) =>
  ipaddr.IPv6.parseCIDR(cidr),
)

/** Routed like public addresses, yet answered inside a cloud: the channel of Azure to its virtual machines. */
const INSIDE_CLOUDS = new Set(['168.63.129.16'])

/** As ISATAP writes an IPv4 address into the last 64 bits, with the universal bit and without. */
const ISATAP = new Set([0x00005efe, 0x02005efe])

/**
 * True for global unicast only (D11.4), in any spelling of the address, without what a cloud answers inside. IPv4-mapped addresses count as what they
 * carry. IPv6 must lie in 2000::/3 besides having no special use: the library takes `::7f00:1`, an old spelling of
 * 127.0.0.1, for ordinary unicast. False for what is no address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = isIPv6(address) ? plainIpv6(address) : address
  if (plain === undefined || !ipaddr.isValid(plain)) return false
  const parsed = ipaddr.process(plain)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 ? !INSIDE_CLOUDS.has(parsed.toString()) : isPublicIpv6(parsed)
}

/** In hexadecimal: the library takes the dots of `::8.8.8.8` for an IPv4-mapped address. Undefined with a zone. */
const plainIpv6 = (address: string) => URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  if (!address.match(GLOBAL_UNICAST, 3) || SET_ASIDE.some((range) => address.match(range))) return false
  const [, , , , high = 0, low = 0] = address.parts
  return !ISATAP.has(high * 0x10000 + low)
}

/** The address that a URL's host is, without brackets; undefined for a name. The URL parser has normalised `127.1`. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}
