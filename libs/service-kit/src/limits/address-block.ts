import { isIPv4, isIPv6 } from 'node:net'

/**
 * The block of addresses that counts as one client: an IPv4 address itself; of an IPv6 address its /64, because one
 * client has 2^64 of them; of an IPv4-mapped IPv6 address the IPv4 address. Text that is not an address gives
 * `unknown`.
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

/** The groups of a part of an IPv6 address. Its end may be an IPv4 address. */
function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

const bytesOf = (group: number): number[] => [group >> 8, group & 0xff]
