import { isIPv4, isIPv6 } from 'node:net'

/**
 * Whom an address stands for when attempts are counted: an IPv4 address for itself, an IPv6 address for its /64, since
 * one client has 2^64 of them, and an IPv4-mapped IPv6 address for the IPv4 address in it. Text that is no address is
 * one client, `unknown`.
 */
export function addressBlock(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return 'unknown'
  const groups = groupsOf(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join('.')
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::', 2)
  const before = partsOf(head)
  if (tail === undefined) return before
  const after = partsOf(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after]
}

/** Its end may be written as an IPv4 address. */
function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

const bytesOf = (group: number): number[] => [group >> 8, group & 0xff]
