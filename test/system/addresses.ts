let last = 0

/** The header of a client at an address of its own, a /64 in the range for documentation: attempts are counted by it. */
export function fromNewAddress(): { 'x-forwarded-for': string } {
  last += 1
  const process = globalThis.process.pid % 65_536
  return { 'x-forwarded-for': `2001:db8:${process.toString(16)}:${last.toString(16)}::1` }
}
