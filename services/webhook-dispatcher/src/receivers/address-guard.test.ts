import { describe, expect, test } from 'vitest'
import { isPublicAddress, literalAddress } from './address-guard.ts'
import { brokenHosts, refusedHosts } from '../../test/refused-hosts.fixture.ts'

describe('D11.4 an address that is not global unicast is refused', () => {
  test.for([
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1']],
    ['RFC 1918', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1']],
    [
      'link-local and cloud metadata',
      ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ],
    [
      'addresses that clouds answer inside: Azure, Alibaba, Oracle, Google, AWS, Scaleway',
      [
        '168.63.129.16',
        '::ffff:168.63.129.16',
        '::ffff:a83f:8110',
        '64:ff9b::a83f:8110',
        '2002:a83f:8110::1',
        '100.100.100.200',
        '100.100.2.136',
        '192.0.0.192',
        'fd20:ce::254',
        'fd00:ec2::254',
        'fd00:42::42',
        '169.254.169.253',
        '169.254.170.2',
        '169.254.42.42',
      ],
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
    [
      'IPv4-compatible and translated',
      ['::8.8.8.8', '::808:808', '::127.0.0.1', '::7f00:1', '::a00:1', '::ffff:0:10.0.0.1'],
    ],
    [
      'NAT64',
      ['64:ff9b::8.8.8.8', '64:ff9b:1::808:808', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1'],
    ],
    ['6to4, Teredo and other tunnels', ['2002:7f00:1::', '2002:a00:1::1', '2001::1', '192.88.99.1']],
    [
      'protocol assignments, ORCHIDs, ISATAP',
      [
        '2001:3::1',
        '2001:10::1',
        '2001:20::1',
        '2001:1ff::1',
        '2001:470::5efe:808:808',
        '2001:470::200:5efe:a00:1',
      ],
    ],
    ['with a zone', ['2606:4700::1111%eth0', '::1%lo']],
    ['outside 2000::/3', ['100::1', 'fec0::1', '4000::1', '5f00::1', '100:0:0:1::1', '8000::1']],
    ['old spellings of IPv4', ['0x7f.0.0.1', '0177.0.0.1', '2130706433', '0x7f000001', '127.1']],
    ['not an address', ['', 'localhost', '127.0.0.1.example', '1.2.3.4.5', ':::']],
  ] as const)('%s', ([, addresses]) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })
})

test('global unicast is public, also IPv4-mapped', () => {
  const addresses = [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '168.63.129.17',
  ]
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
})

test.for(Object.entries(refusedHosts))(
  'D11.4 in a URL, %s is recognized as an address and refused',
  ([, hosts]) => {
    const seen = hosts.map((host) => literalAddress(new URL(`https://${host}/`).hostname))
    expect(hosts.filter((_, i) => seen[i] === undefined)).toEqual([])
    expect(seen.filter((address) => isPublicAddress(address ?? ''))).toEqual([])
  },
)

test.for(brokenHosts)('D11.4 %s is not a host of a URL', (host) => {
  expect(URL.parse(`https://${host}/`)).toBeNull()
})

test('a name is not a literal address', () => {
  expect(literalAddress('127.0.0.1.nip.io')).toBeUndefined()
})
