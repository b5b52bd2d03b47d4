let last = 0

/**
 * The header of a client with its own address, a /64 of the documentation range, because attempts are limited by
 * address.
 */
export function fromNewAddress(): { 'x-forwarded-for': string } {
  last += 1
  const process = globalThis.process.pid % 65_536
  return { 'x-forwarded-for': `2001:db8:${process.toString(16)}:${last.toString(16)}::1` }
}
