import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The target is in a network that deliveries must not reach. The message does not name the address, because customers
 * can read it. For a host name it is the same as for one that does not exist, so that nobody can list the names of
 * our network.
 */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
  constructor(message = 'the target address is not public') {
    super(message)
  }
}

/** The ports of receivers, unless the operator lists others: our address must not try out the ports of other hosts. */
export const WEBHOOK_PORTS: readonly number[] = [443, 8443]
export type Ports = readonly number[] | undefined

/** Undefined if deliveries to the port of this https URL are allowed. */
export function portProblem(url: URL, ports = WEBHOOK_PORTS): string | undefined {
  return ports.includes(Number(url.port || 443)) ? undefined : `must use port ${ports.join(' or ')}`
}

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')

/**
 * Reserved ranges inside 2000::/3, because the library calls some of them unicast: all of 2001::/23 (protocol
 * assignments, ORCHIDs, AMT, …), 6to4, documentation, 3ffe::/16 (6bone). 5f00::/16 is outside 2000::/3.
 */
const RESERVED_IPV6 = ['2001::/23', '2002::/16', '2001:db8::/32', '3fff::/20', '3ffe::/16'].map((cidr) =>
  ipaddr.IPv6.parseCIDR(cidr),
)

/** A public address that a service inside a cloud answers: the channel of Azure to its virtual machines. */
const CLOUD_INTERNAL_IPV4 = new Set(['168.63.129.16'])

/** Prefixes of an IPv4 address in the last 64 bits of an ISATAP address, with and without the universal bit. */
const ISATAP = new Set([0x00005efe, 0x02005efe])

/**
 * True for global unicast only (D11.4), in any spelling, without addresses that clouds answer inside. An IPv4-mapped
 * address counts as its IPv4 address. IPv6 must also be in 2000::/3, because the library calls `::7f00:1`, an old
 * spelling of 127.0.0.1, unicast. False for a text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = isIPv6(address) ? plainIpv6(address) : address
  if (plain === undefined || !ipaddr.isValid(plain)) return false
  const parsed = ipaddr.process(plain)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 ? !CLOUD_INTERNAL_IPV4.has(parsed.toString()) : isPublicIpv6(parsed)
}

/**
 * Without dots, because the library takes `::8.8.8.8` for an IPv4-mapped address. Undefined for an address with a
 * zone.
 */
const plainIpv6 = (address: string) => URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  if (!address.match(GLOBAL_UNICAST, 3) || RESERVED_IPV6.some((range) => address.match(range))) return false
  const [, , , , high = 0, low = 0] = address.parts
  return !ISATAP.has(high * 0x10000 + low)
}

/**
 * The host of a parsed URL if it is an address, without brackets. Undefined for a name. The parser normalizes
 * `127.1`.
 */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}
