import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex, epcUri, parseUri, pureIdentityUri, type Epc } from './epc.ts'

const noEpc: Epc = { scheme: 'sgtin-96', filter: 0, company: '', reference: '', serial: '0' }

describe('D16.5 the examples of the GS1 EPC Tag Data Standard', () => {
  test.for([
    ['3074257BF7194E4000001A85', 'sgtin-96:3.0614141.812345.6789', 'sgtin:0614141.812345.6789'],
    ['3174257BF4499602D2000000', 'sscc-96:3.0614141.1234567890', 'sscc:0614141.1234567890'],
    ['3274257BF460720000000190', 'sgln-96:3.0614141.12345.400', 'sgln:0614141.12345.400'],
    ['3374257BF40C0E4000000190', 'grai-96:3.0614141.12345.400', 'grai:0614141.12345.400'],
    ['3474257BF40000000000162E', 'giai-96:3.0614141.5678', 'giai:0614141.5678'],
  ] as const)('%s is %s', ([hex, tag, identity]) => {
    const epc = decodeHex(hex) ?? noEpc
    expect(epc.filter).toBe(3)
    expect(epcUri(epc)).toBe(`urn:epc:tag:${tag}`)
    expect(pureIdentityUri(epc)).toBe(`urn:epc:id:${identity}`)
    expect(parseUri(`urn:epc:tag:${tag}`)).toEqual(epc)
    expect(parseUri(`urn:epc:id:${identity}`)).toEqual({ ...epc, filter: null })
    expect(encodeHex(epc)).toBe(hex)
  })
})

test('company prefixes of 12 digits leave no digits for the place of an SGLN and the type of a GRAI', () => {
  for (const uri of [
    'urn:epc:tag:sgln-96:0.123456789012..0',
    'urn:epc:tag:grai-96:7.000000000000..274877906943',
    'urn:epc:tag:sgtin-96:1.123456789012.9.1',
  ]) {
    const epc = parseUri(uri) ?? noEpc
    expect(epcUri(epc)).toBe(uri)
    expect(decodeHex(encodeHex(epc) ?? '')).toEqual(epc)
  }
})

test.for([
  ['another header', '2F74257BF7194E4000001A85'],
  ['lower case', '3074257bf7194e4000001a85'],
  ['too short', '3074257BF7194E4000001A8'],
  ['too long', '3074257BF7194E4000001A8500'],
  ['partition 7', '307C257BF7194E4000001A85'],
  ['a company prefix with too many digits', '3077FFFFF7194E4000001A85'],
  ['an item reference with too many digits', '3074257BFFFFFE4000001A85'],
  ['an SSCC with reserved bits', '3174257BF4499602D2000001'],
] as const)('hex with %s is no EPC: %s', ([, hex]) => {
  expect(decodeHex(hex)).toBeUndefined()
})

test.for([
  ['an unknown scheme', 'urn:epc:tag:gid-96:3.0614141.812345.6789'],
  ['a longer code', 'urn:epc:tag:sgtin-198:3.0614141.812345.6789'],
  ['a filter value above 7', 'urn:epc:tag:sgtin-96:8.0614141.812345.6789'],
  ['no filter value', 'urn:epc:tag:sgtin-96:0614141.812345.6789'],
  ['a digit too many', 'urn:epc:id:sgtin:0614141.8123456.6789'],
  ['a digit too few', 'urn:epc:id:sgtin:0614141.81234.6789'],
  ['a company prefix of 5 digits', 'urn:epc:id:sgtin:06141.81234567.6789'],
  ['no serial number', 'urn:epc:id:sgtin:0614141.812345'],
  ['a serial number that an SSCC does not have', 'urn:epc:id:sscc:0614141.1234567890.1'],
  ['a zero in front of the serial number', 'urn:epc:id:sgtin:0614141.812345.06789'],
  ['a serial number of 39 bits', 'urn:epc:id:sgtin:0614141.812345.274877906944'],
  ['letters in the serial number', 'urn:epc:id:sgtin:0614141.812345.a1'],
  ['no asset reference', 'urn:epc:id:giai:0614141.'],
  ['a zero in front of the asset reference', 'urn:epc:id:giai:0614141.05678'],
  ['an asset reference that needs too many bits', 'urn:epc:id:giai:0614141.999999999999999999'],
  ['nothing else', ''],
] as const)('a URI with %s cannot be encoded: %s', ([, uri]) => {
  expect(parseUri(uri)).toBeUndefined()
})
