import type { Collector } from '../collector.ts'
import type { Ibeacon } from '../decoder.ts'
import { readIbeacon } from '../ibeacons.ts'
import { isObject, type JsonObject, objectAt, readInteger } from '../json-values.ts'
import { readRssi, readTime } from '../read-fields.ts'
import { readMac } from '../tag-values.ts'
import { isAbsent, readText } from '../texts.ts'

/** True for a Bluetooth advert of an FXR60 or FXR90, whose members are capitalized. */
export function isZebraBle(item: JsonObject, data: JsonObject): boolean {
  return item['type'] === 'BLE_DATA' || data['Address'] !== undefined
}

/** Decodes an item for which `isZebraBle` is true. An advert has no antenna, so a missing one is not reported. */
export function decodeZebraBle(out: Collector, item: JsonObject, data: JsonObject, itemAt: string): void {
  const at = `${itemAt}/data`
  if (isAbsent(data['Address'])) return out.report('missing_tag', at)
  const address = readMac(data['Address'])
  if (address === undefined) return out.report('invalid_tag', `${at}/Address`)
  out.addRead({
    antenna: 1,
    tag_type: 'ble',
    tag_value: address,
    rssi_dbm: readRssi(out, data['RSSI'], 1, at, '/RSSI'),
    read_count: 1,
    read_at_ms: readTime(out, item['timestamp'], itemAt, '/timestamp'),
    extra: {
      ibeacon: readBeacon(out, data['iBeacon'], `${at}/iBeacon`),
      address_type: readText(data['AddressType']),
      // The alias of a device without a name is its address.
      name: readMac(data['Alias']) === address ? undefined : readText(data['Alias']),
      // From 1: a beacon on mains sends 0.
      battery_mv: readInteger(objectAt(data['eddystone'])['batteryVoltage'], 1, 0xffff),
    },
  })
}

const MEMBERS = { uuid: 'uuid', major: 'major', minor: 'minor', txPower: 'txPower' }

/** The reader has already recognized an iBeacon, so that one without a UUID is an error. */
function readBeacon(out: Collector, beacon: unknown, at: string): Ibeacon | undefined {
  if (isAbsent(beacon)) return undefined
  if (!isObject(beacon)) return out.report('invalid_field', at)
  if (isAbsent(beacon['uuid'])) return out.report('invalid_field', `${at}/uuid`)
  return readIbeacon(out, beacon, at, MEMBERS)
}
