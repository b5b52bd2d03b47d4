import { readerPresets } from '@whereabouts/contracts/resources/tracking/reader-presets'
import { TagCreate } from '@whereabouts/contracts/resources/catalog/tags'
import type { Beacon } from '@whereabouts/contracts/resources/catalog/beacons'
import { fc } from '@whereabouts/testing/fuzz'
import { expect, test } from 'vitest'
import { CatalogStandIn } from '../../test/tracking.fixture.ts'
import { decode } from '../../test/formats/format-testing.ts'
import { CatalogView } from '../catalog/catalog-view.ts'
import { findTag } from '../ingest/reads/read-tag.ts'
import type { DecodeContext } from './decoder.ts'

const hexOf = ({ uuid, major, minor }: Beacon) =>
  uuid.replaceAll('-', '') + [major, minor].map((n) => n.toString(16).padStart(4, '0')).join('')
const ADDRESS = 'C2A4E09E11F7' // random: nothing is registered under it
const advert = (beacon: Beacon) => `0201061AFF4C000215${hexOf(beacon)}C5`.toUpperCase()

/** How people and programs write a beacon. */
const spellings: ((beacon: Beacon) => string)[] = [
  ({ uuid, major, minor }) => `${uuid}/${major}/${minor}`,
  ({ uuid, major, minor }) => `${uuid}-${major}-${minor}`,
  ({ uuid, major, minor }) => `${uuid.toUpperCase()}_${major}_${minor}`,
  ({ uuid, major, minor }) => `{${uuid}}:${major}:${minor}`,
  ({ uuid, major, minor }) => `iBeacon:${uuid}-${major}-${minor}`,
  ({ uuid, major, minor }) => `${uuid.replaceAll('-', '')} / ${major} / ${minor}`,
  ({ uuid, major, minor }) => `${uuid}/0x${major.toString(16)}/0x${minor.toString(16)}`,
  hexOf,
]

/** What a device with a preset sends of a beacon. */
const presets: Record<string, (beacon: Beacon) => unknown> = {
  openmqttgateway: ({ uuid, major, minor }) => ({ id: ADDRESS, rssi: -60, uuid: uuid.replaceAll('-', ''), major, minor }),
  'ruuvi-mqtt': (beacon) => ({ gw_mac: 'C8252D009C01', rssi: -60, ts: '1772359202', data: advert(beacon) }),
  'ruuvi-http': (beacon) => ({
    data: { gw_mac: 'C8252D009C01', tags: { [ADDRESS]: { rssi: -60, timestamp: 1_772_359_202, data: advert(beacon) } } },
  }),
  cassia: (beacon) => ({
    action: 'data.scan', timestamp: 1_772_359_202_028, gateway: 'CC1BE0008F01',
    data: [{ rssi: -60, adData: advert(beacon), bdaddrs: [{ bdaddr: ADDRESS }] }],
  }),
  'tasmota-ibeacon': (beacon) => ({
    Time: '2026-03-01T11:00:02',
    IBEACON: {
      UID: hexOf(beacon).slice(0, 32).toUpperCase(), MAJOR: hexOf(beacon).slice(32, 36).toUpperCase(),
      MINOR: hexOf(beacon).slice(36).toUpperCase(), MAC: ADDRESS, RSSI: -60, STATE: 'ON',
    },
  }),
  espresense: ({ uuid, major, minor }) => ({ mac: ADDRESS, id: `iBeacon:${uuid}-${major}-${minor}`, rssi: -60 }),
  'flespi-teltonika': (beacon) => ({ ident: '352093080000001', timestamp: 1_772_359_202, 'ble.beacons': [{ id: hexOf(beacon), rssi: -60 }] }),
} // oxfmt-ignore

/** The presets of devices for Bluetooth whose published messages have no identity of a beacon. */
const without = ['nrf-cloud', 'shelly-blu', 'sensecap-chirpstack', 'sensecap-ttn']

const mapped = Object.entries(presets).map(
  ([id, message]) =>
    [`preset ${id}`, 'mapping', message, { mapping: readerPresets.find((preset) => preset.id === id)?.mapping }] as const,
) // oxfmt-ignore
type Carrier = readonly [string, string, (beacon: Beacon) => unknown, Pick<DecodeContext, 'mapping'>]

/** The same of a mapping that an installer writes, of our own format, and of vendors. */
const carriers: readonly Carrier[] = [
  ...mapped,
  ...spellings.flatMap((spell, n): Carrier[] => [
    [`canonical, spelling ${n}`, 'canonical', (beacon) => ({ reads: [{ tag: { type: 'ble', value: spell(beacon) } }] }), {}],
    [`beacon, spelling ${n}`, 'mapping', (beacon) => ({ id: spell(beacon) }), { mapping: { reads: '', beacon: '/id' } }],
    [`tag, spelling ${n}`, 'mapping', (beacon) => ({ id: spell(beacon) }), { mapping: { reads: '', tag: '/id', tag_type: 'ble' } }],
  ]),
  ...[
    (beacon: Beacon) => advert(beacon),
    (beacon: Beacon) => `0x${advert(beacon)}`,
    (beacon: Beacon) => Buffer.from(advert(beacon), 'hex').toString('base64'),
    (beacon: Beacon) => `4c000215${hexOf(beacon)}c5`,
    (beacon: Beacon) => `0215${hexOf(beacon)}c5`,
    (beacon: Beacon) => `4c 00 02 15 ${hexOf(beacon).replaceAll(/../g, '$& ')}c5`,
    (beacon: Beacon) => Buffer.from(`0215${hexOf(beacon)}c5`, 'hex').toString('base64url'),
  ].map((data, n): Carrier => [`manufacturer data ${n}`, 'mapping', (beacon) => ({ data: data(beacon) }), { mapping: { reads: '', beacon: { manufacturer_data: '/data' } } }]),
  ['gl-s10', 'gl-s10', (beacon) => ({ dev_ble_mac: 'C4DEE20A0B0F', dev_list: [{ ad: advert(beacon), mac: ADDRESS, rssi: -60 }] }), {}],
  ['minew, raw', 'minew', (beacon) => [{ mac: ADDRESS, rssi: -60, rawData: advert(beacon) }], {}],
  ['minew', 'minew', ({ uuid, major, minor }) => [{ type: 'iBeacon', mac: ADDRESS, ibeaconUuid: uuid, ibeaconMajor: major, ibeaconMinor: minor }], {}],
  ['kkm', 'kkm', ({ uuid, major, minor }) => ({ pkt_type: 'scan_report', data: { dev_infos: [{ addr: ADDRESS, ibcn_uuid: uuid, ibcn_major: major, ibcn_minor: minor }] } }), {}],
  ['moko', 'moko', ({ uuid, major, minor }) => ({ msg_id: 3070, data: [{ mac: ADDRESS, uuid, major, minor }] }), {}],
  ['zebra', 'zebra', ({ uuid, major, minor }) => ({ type: 'BLE_DATA', timestamp: '2026-03-01T10:00:02Z', data: { Address: ADDRESS, RSSI: -60, iBeacon: { uuid, major, minor } } }), {}],
] // oxfmt-ignore

test('D19.3 each preset of a device for Bluetooth reads the beacon, or its device sends none', () => {
  const ble = readerPresets.filter(
    ({ mapping }) => mapping.tag_type === 'ble' || mapping.beacon !== undefined,
  )
  expect(ble.map(({ id }) => id).toSorted()).toEqual([...Object.keys(presets), ...without].toSorted())
  for (const { id, mapping } of ble) expect([id, mapping.beacon !== undefined]).toEqual([id, id in presets])
})

const number = fc.integer({ min: 0, max: 0xffff })
const beacons = fc.record({
  uuid: fc.uuid().filter((uuid) => /[1-9a-f]/.test(uuid)),
  major: number,
  minor: number,
})

/** The asset that a read of this message belongs to, if one has the tag as a person wrote it. */
function owner(value: string, read: ReturnType<typeof decode>['reads'][number]) {
  const catalog = new CatalogStandIn()
  const view = new CatalogView()
  const asset = catalog.asset(1, 'Cart')
  view.applyAsset(asset)
  view.applyTag(catalog.tag(asset, value, { tag_type: 'ble' }))
  return view.assetOfTag(findTag(view, 1, read, Date.now()))?.name
}

test.for(carriers)('D19.3 a beacon that %s sends is found under every spelling', ([, format, message, settings]) => {
  const property = fc.property(beacons, beacons, (beacon, other) => {
    const { reads, errors } = decode(format, message(beacon), { timezone: 'UTC', topic: ['x', ADDRESS], ...settings })
    expect(errors).toEqual([])
    expect(reads).toHaveLength(1)
    const [read] = reads
    if (!read) return
    for (const spell of spellings) {
      const { value } = TagCreate.parse({ tag_type: 'ble', value: spell(beacon) })
      expect(owner(value, read)).toBe('Cart')
      expect(owner(spell(beacon), read)).toBe('Cart') // stored by an earlier release
    }
    expect(owner(spellings[0]?.(other) ?? '', read)).toBe(hexOf(other) === hexOf(beacon) ? 'Cart' : undefined)
  })
  fc.assert(property, { numRuns: 20 })
}) // oxfmt-ignore
