import { expect, test } from 'vitest'
import { clientNetwork } from './client-network.ts'

test.for([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:DB8::1:0:0:0:9', '2001:db8:0:1::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['unknown', 'unknown'],
] as const)('%s is counted as %s', ([address, network]) => {
  expect(clientNetwork(address)).toBe(network)
})

test('every address of a /64 is one client, and that of the next is another', () => {
  const network = clientNetwork('2001:db8:5:6::1')
  for (const end of ['::2', ':ffff:ffff:ffff:ffff', '::abcd:1'])
    expect(clientNetwork(`2001:db8:5:6${end}`)).toBe(network)
  expect(clientNetwork('2001:db8:5:7::1')).not.toBe(network)
})
