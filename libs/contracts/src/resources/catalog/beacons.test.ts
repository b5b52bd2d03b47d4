import { expect, test } from 'vitest'
import { parseBeacon } from './beacons.ts'
import { matchValue, uniqueForm } from './tag-matching.ts'
import { TagCreate } from './tags.ts'

const UUID = '5d1f0c3a-77aa-4c4e-9b1e-0a1b2c3d4e5f'
const HEX = UUID.replaceAll('-', '')

test.for([
  `${UUID}/100/7`,
  `${UUID}-100-7`,
  `${UUID}_100_7`,
  `${UUID}:100:7`,
  `${UUID} 100 7`,
  `${UUID}, 100, 7`,
  `{${UUID}}/100/7`,
  `${HEX.toUpperCase()}/100/7`,
  `${HEX}-0100-007`,
  `iBeacon:${UUID.toUpperCase()}-100-7`,
  `ibeacon:${HEX}_100_7`,
  `i-beacon ${UUID}.100.7`,
  `Beacon: ${UUID};100;7`,
  `${UUID}/0x64/0x0007`,
  ` ${UUID}/100/7\r\n`,
  `${HEX}00640007`,
  `iBeacon:${HEX.toUpperCase()}00640007`,
])('D19.3 %s is a beacon', (value) => {
  expect(parseBeacon(value)).toEqual({ uuid: UUID, major: 100, minor: 7 })
  expect(TagCreate.parse({ tag_type: 'ble', value })).toEqual({ tag_type: 'ble', value: `${UUID}/100/7` })
  expect(matchValue('ble', value)).toBe(`${HEX.toUpperCase()}/100/7`)
  expect(uniqueForm('ble', value)).toBe(`${UUID}/100/7`)
})

test.for([
  `${UUID}/100`,
  `${UUID}/65536/7`,
  `${UUID}/100/7/8`,
  `${UUID}/-1/7`,
  `${UUID}1007`,
  `eddystone:${UUID}/100/7`,
  `00000000-0000-0000-0000-000000000000/0/0`,
  `${HEX}0064000`,
  'C2A4E09E11F7',
  '',
])('D19.3 %s is none, and stays as sent', (value) => {
  expect(parseBeacon(value)).toBeUndefined()
  expect(TagCreate.safeParse({ tag_type: 'ble', value }).data?.value ?? '').toBe(value)
})

test('D19.3 other types of tag stay as sent', () => {
  for (const tag_type of ['rfid', 'barcode'] as const) {
    const value = `iBeacon:${UUID}-100-7`
    expect(TagCreate.parse({ tag_type, value })).toEqual({ tag_type, value })
    expect(uniqueForm(tag_type, value)).toBe(value)
  }
})

test('D19.3 beacons that differ in a part differ, also where their texts run together', () => {
  const values = [
    `${UUID}-1-11`,
    `${UUID}-11-1`,
    `${UUID}-0-0`,
    `${UUID}-65535-65535`,
    `${HEX.replace('5', '6')}-1-11`,
  ]
  expect(new Set(values.map((value) => matchValue('ble', value))).size).toBe(values.length)
})
