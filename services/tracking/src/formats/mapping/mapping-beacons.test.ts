import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { expect, test } from 'vitest'
import { decode, errorsOf } from '../../../test/formats/format-testing.ts'

const UUID = '5d1f0c3a-77aa-4c4e-9b1e-0a1b2c3d4e5f'
const IBEACON = { uuid: UUID, major: 100, minor: 7 }

const decoded = (mapping: object, message: unknown) =>
  decode('mapping', message, { mapping: ReaderMapping.parse(mapping) })

/** The tag and the beacon of each read, and the errors. */
function outcome(mapping: object, message: unknown) {
  const result = decoded(mapping, message)
  const reads = result.reads.map(({ tag_type, tag_value, extra }) => [tag_type, tag_value, extra?.ibeacon])
  return [...reads, ...errorsOf(result)]
}

const BOTH = { reads: '', beacon: '/id', tag: '/mac', tag_type: 'ble' }
const MAC = 'C2A4E09E11F7'

test('D19.3 an item has its address and its beacon, or one of them', () => {
  const id = `iBeacon:${UUID}-100-7`
  expect(outcome(BOTH, { mac: MAC, id })).toEqual([['ble', MAC, IBEACON]])
  expect(outcome(BOTH, { mac: MAC, id: 'apple:1005:9-24' })).toEqual([['ble', MAC, undefined]])
  expect(outcome(BOTH, { mac: MAC })).toEqual([['ble', MAC, undefined]])
  expect(outcome(BOTH, { id })).toEqual([['ble', `${UUID}/100/7`, undefined]])
  expect(outcome(BOTH, { mac: 'broken', id })).toEqual([
    ['ble', `${UUID}/100/7`, undefined],
    'invalid_tag /mac',
  ])
  expect(outcome(BOTH, { rssi: -60 })).toEqual(['missing_tag '])
})

test('D19.3 what is meant as a beacon and is none is a problem of that field', () => {
  expect(outcome(BOTH, { mac: MAC, id: `iBeacon:${UUID}-100` })).toEqual([
    ['ble', MAC, undefined],
    'invalid_field /id',
  ])
  const alone = { reads: '/l', beacon: '/id' }
  expect(outcome(alone, { l: [{ id: 'x' }, { id: 7 }, {}, { id: `${UUID}_100_7` }] })).toEqual([
    ['ble', `${UUID}/100/7`, undefined],
    'invalid_field /l/0/id',
    'invalid_field /l/1/id',
    'missing_tag /l/2',
  ])
  const parts = { ...BOTH, beacon: { uuid: '/u', major: '/a', minor: '/i' } }
  const wrong = (item: object) => outcome(parts, { mac: MAC, ...item }).slice(1)
  expect(wrong({ u: 'x', a: 1, i: 2 })).toEqual(['invalid_field /u'])
  expect(wrong({ u: UUID, i: 2 })).toEqual(['invalid_field /a'])
  expect(wrong({ u: UUID, a: 1, i: 65_536 })).toEqual(['invalid_field /i'])
  expect(wrong({ u: '0'.repeat(32), a: 0, i: 0 })).toEqual([])
  expect(wrong({ u: null })).toEqual([])
  const data = { ...BOTH, beacon: { manufacturer_data: '/d' } }
  expect(outcome(data, { mac: MAC, d: '%' })).toEqual([['ble', MAC, undefined], 'invalid_field /d'])
  for (const d of ['', '99040512', '0201061AFF4C00', '4c001005', null])
    expect(outcome(data, { mac: MAC, d })).toEqual([['ble', MAC, undefined]])
})

test('D19.3 major and minor as text are decimal, or hex if the mapping or 0x says so', () => {
  const parts = (number_format?: string) => ({
    reads: '',
    beacon: { uuid: '/u', major: '/a', minor: '/i', ...(number_format && { number_format }) },
  })
  const value = (format: string | undefined, a: unknown, i: unknown) =>
    outcome(parts(format), { u: UUID.toUpperCase(), a, i })
  expect(value(undefined, '0100', 7)).toEqual([['ble', `${UUID}/100/7`, undefined]])
  expect(value(undefined, '0x64', '7')).toEqual([['ble', `${UUID}/100/7`, undefined]])
  expect(value('hex', '0064', '0007')).toEqual([['ble', `${UUID}/100/7`, undefined]])
  expect(value('hex', 100, '00FF')).toEqual([['ble', `${UUID}/100/255`, undefined]])
  expect(value(undefined, '00FF', 7)).toEqual(['invalid_field /a'])
  expect(value('hex', '10000', '1')).toEqual(['invalid_field /a'])
})

test('D19.3 bare values, keys, envelopes and topics can be a beacon', () => {
  const id = `${UUID}/100/7`
  expect(outcome({ reads: '/l', beacon: '' }, { l: [id] })).toEqual([['ble', id, undefined]])
  expect(outcome({ reads: '/l/*', beacon: '$key' }, { l: { [id]: { rssi: -1 } } })).toEqual([['ble', id, undefined]])
  const mapping = ReaderMapping.parse({ reads: '', beacon: '$topic/1' })
  expect(decode('mapping', {}, { mapping, topic: [`iBeacon:${UUID}-100-7`] }).reads).toMatchObject([{ tag_value: id }])
}) // oxfmt-ignore

test('D19.3 another type of tag keeps its value, with the beacon beside it', () => {
  const id = `${UUID.replaceAll('-', '')}00640007`
  const mapping = { reads: '', beacon: '/id', tag: '/id', tag_type: 'rfid' }
  expect(outcome(mapping, { id })).toEqual([['rfid', id.toUpperCase(), IBEACON]])
})
