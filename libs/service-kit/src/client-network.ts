import { isIPv4, isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
/** The part of an IPv6 address that one customer of a provider holds; the rest it chooses freely. */
const NETWORK_GROUPS = 4

/**
 * What one client is counted by: its IPv4 address, or the /64 of its IPv6 address (`2001:db8:0:1::/64`). An IPv4
 * address in IPv6 form is that IPv4 address. Anything that is no address comes back as it is.
 */
export function clientNetwork(address: string): string {
  const plain = address.split('%', 1)[0] ?? address
  const mapped = MAPPED.exec(plain)?.[1]
  if (mapped !== undefined && isIPv4(mapped)) return mapped
  if (!isIPv6(plain)) return address
  const groups = groupsOf(plain)
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/** The groups of an IPv6 address, without leading zeros; `::` filled in. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const before = parts(head)
  const after = tail === undefined ? [] : parts(tail)
  // An IPv4 address at the end stands for two groups, which are never among the first four.
  const missing = GROUPS - before.length - after.length - (address.includes('.') ? 1 : 0)
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after].map(withoutZeros)
}

const parts = (text: string) => (text === '' ? [] : text.split(':'))
const withoutZeros = (group: string) => group.toLowerCase().replace(/^0+(?=.)/, '')
