import { readAdverts } from './ble-adverts.ts'
import type { Collector } from './collector.ts'
import type { ReadExtra } from './decoder.ts'
import { readIbeacon, type IbeaconMembers } from './ibeacons.ts'
import { type JsonObject, readInteger } from './json-values.ts'
import { readRssi } from './read-fields.ts'
import { readMac } from './tag-values.ts'
import { isAbsent, readText } from './texts.ts'

/** The names of the members in which a gateway describes one Bluetooth tag. */
type BleMembers = {
  address: string
  name?: string
  /** For gateways that recognize an iBeacon themselves. */
  ibeacon?: IbeaconMembers
  /** Members with the bytes of the advert and of the scan response, as hex. Any may be missing. */
  adverts: readonly string[]
}

type Rest = {
  /** Called only if there is a read. */
  readAt: () => number | null
  battery?: Pick<ReadExtra, 'battery_percent' | 'battery_mv'>
}

/**
 * Adds the read of a tag that a Bluetooth gateway heard. Its address identifies it. An iBeacon identity and a name
 * come from the members of the gateway, or else from the bytes of the advert. A gateway has one antenna and never
 * names it, so a missing one is not reported.
 */
export function addBleRead(
  out: Collector,
  item: JsonObject,
  at: string,
  members: BleMembers,
  { readAt, battery }: Rest,
): void {
  const address = readAddress(out, item, at, members.address)
  if (address === undefined) return
  const stated = members.ibeacon && readIbeacon(out, item, at, members.ibeacon)
  const advert = readAdverts(out, item, at, members.adverts)
  out.addRead({
    antenna: 1,
    tag_type: 'ble',
    tag_value: address,
    rssi_dbm: readRssi(out, item['rssi'], 1, at, '/rssi'),
    read_count: 1,
    read_at_ms: readAt(),
    extra: {
      ibeacon: stated ?? advert.ibeacon,
      name: (members.name === undefined ? undefined : readText(item[members.name])) ?? advert.name,
      ...battery,
    },
  })
}

/** The address of a Bluetooth tag. Undefined and reported if there is none: then the item gives no read. */
function readAddress(out: Collector, item: JsonObject, at: string, member: string): string | undefined {
  const value = item[member]
  if (isAbsent(value)) return out.report('missing_tag', at)
  return readMac(value) ?? out.report('invalid_tag', `${at}/${member}`)
}

/** Percent; undefined for any other value. */
export const readPercent = (value: unknown): number | undefined => readInteger(value, 0, 100)

/** Millivolts. From 1: a tag on mains sends 0. */
export const readMillivolts = (value: unknown): number | undefined => readInteger(value, 1, 0xffff)
