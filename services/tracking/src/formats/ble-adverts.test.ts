import { expect, test } from 'vitest'
import { decode } from '../../test/formats/format-testing.ts'

/** The extra facts of a tag with this advert. */
const extraOf = (ad: string) => decode('gl-s10', { dev_list: [{ mac: '45F41F0A0B0C', ad }] }).reads[0]?.extra

test.for([
  { ad: '0409416263', name: 'Abc' },
  { ad: '0408416263', name: 'Abc' },
  { ad: '0609416263000000', name: 'Abc' },
  { ad: '020106000000', name: undefined },
  { ad: '0509416263', name: undefined },
  { ad: '0309fffe', name: '\ufffd\ufffd' },
  { ad: '04094162630409646566', name: 'Abc' },
  { ad: '0109', name: undefined },
  { ad: '05', name: undefined },
])('the advert $ad names its tag $name', ({ ad, name }) => {
  expect(extraOf(ad)?.name).toBe(name)
})

test('manufacturer data of another maker or kind is not an iBeacon', () => {
  const uuid = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'
  for (const prefix of ['4c000216', '4c001005', '59000215']) {
    expect(extraOf(`1aff${prefix}${uuid}00650009c5`)).toBeUndefined()
  }
  expect(extraOf(`1aff4c000215${uuid}00650009c5`)?.ibeacon).toMatchObject({ major: 101, minor: 9 })
})

test('an advert that ends inside the identity is not an iBeacon', () => {
  expect(extraOf('1aff4c0002150a1b2c3d4e5f60718293a4b5c6d7e8f9006500')).toBeUndefined()
})
