import { describe, expect, test } from 'vitest'
import { isPublicAddress, literalAddress } from './address-guard.ts'

describe('D11.4 an address that is not global unicast is refused', () => {
  test.for([
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1']],
    ['RFC 1918', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1']],
    [
      'link-local and cloud metadata',
      ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ],
    ['unique local', ['fc00::1', 'fd00::1', 'fd00:ec2::254']],
    ['CGNAT', ['100.64.0.1', '100.127.255.254']],
    ['unspecified and this network', ['0.0.0.0', '0.1.2.3', '::']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    [
      'benchmarks, protocol assignments, reserved',
      ['198.18.0.1', '198.19.255.254', '192.0.0.1', '240.0.0.1'],
    ],
    ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a00:1', '0:0:0:0:0:ffff:c0a8:1']],
    ['IPv4-compatible and translated', ['::127.0.0.1', '::7f00:1', '::a00:1', '::ffff:0:10.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1']],
    ['6to4, Teredo and other tunnels', ['2002:7f00:1::', '2002:a00:1::1', '2001::1', '192.88.99.1']],
    ['outside 2000::/3', ['100::1', 'fec0::1', '4000::1', '5f00::1', '100:0:0:1::1', '8000::1']],
    ['old spellings of IPv4', ['0x7f.0.0.1', '0177.0.0.1', '2130706433', '0x7f000001', '127.1']],
    ['no address at all', ['', 'localhost', '127.0.0.1.example', '1.2.3.4.5', ':::']],
  ] as const)('%s', ([, addresses]) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })
})

test('global unicast passes, IPv4-mapped spellings of it too', () => {
  const addresses = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8']
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
})

test.for([
  'https://127.0.0.1/', 'https://127.1/', 'https://0x7f000001/', 'https://0x7f.1/', 'https://2130706433/',
  'https://017700000001/', 'https://0177.0.0.1/', 'https://127.0.0.1./', 'https://①②⑦.0.0.1/', 'https://127。0。0。1/',
  'https://%31%32%37.0.0.1/', 'https://0/', 'https://[::1]/', 'https://[::]/', 'https://[::ffff:127.0.0.1]/',
  'https://[::7f00:1]/', 'https://[0:0:0:0:0:ffff:7f00:1]/', 'https://[64:ff9b::7f00:1]/', 'https://[fd00::1]/',
])('a URL with the literal host of %s is seen as an address, and refused', (url) => {
  const literal = literalAddress(new URL(url).hostname)
  expect(literal).toBeDefined()
  expect(isPublicAddress(literal ?? '')).toBe(false)
}) // prettier-ignore

test('a name is no literal address', () => {
  expect(literalAddress('127.0.0.1.nip.io')).toBeUndefined()
})
