import { expect, test } from 'vitest'
import { addressBlock } from './address-block.ts'

test.for([
  { address: '203.0.113.9', block: '203.0.113.9' },
  { address: '::ffff:203.0.113.9', block: '203.0.113.9' },
  { address: '::ffff:cb00:7109', block: '203.0.113.9' },
  { address: '0:0:0:0:0:ffff:203.0.113.9', block: '203.0.113.9' },
  { address: '2001:db8:1:2:3:4:5:6', block: '2001:db8:1:2::/64' },
  { address: '2001:DB8:1:2::', block: '2001:db8:1:2::/64' },
  { address: '2001:db8:0001:0002:ffff:ffff:ffff:ffff', block: '2001:db8:1:2::/64' },
  { address: '2001:db8::1', block: '2001:db8:0:0::/64' },
  { address: 'fe80::1%eth0', block: 'fe80:0:0:0::/64' },
  { address: '::1', block: '0:0:0:0::/64' },
  { address: '64:ff9b::203.0.113.9', block: '64:ff9b:0:0::/64' },
  { address: '203.0.113.9:8080', block: 'unknown' },
  { address: '', block: 'unknown' },
])('requests from $address count for $block', ({ address, block }) =>
  expect(addressBlock(address)).toBe(block),
)
