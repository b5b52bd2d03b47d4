import { readUuid } from '@whereabouts/contracts/resources/catalog/beacons'
import type { Collector } from './collector.ts'
import type { Ibeacon } from './decoder.ts'
import { type JsonObject, readInteger } from './json-values.ts'
import { isAbsent } from './texts.ts'

/** The names of the members with an iBeacon's identity, which differ by vendor. */
export type IbeaconMembers = { uuid: string; major: string; minor: string; txPower: string }

/** The iBeacon identity from a gateway. Undefined without a UUID; undefined and reported if a part is unusable. */
export function readIbeacon(
  out: Collector,
  item: JsonObject,
  at: string,
  members: IbeaconMembers,
): Ibeacon | undefined {
  if (isNoUuid(item[members.uuid])) return undefined
  const uuid = readUuid(item[members.uuid])
  const major = readInteger(item[members.major], 0, 0xffff)
  const minor = readInteger(item[members.minor], 0, 0xffff)
  if (uuid === undefined) return out.report('invalid_field', `${at}/${members.uuid}`)
  if (major === undefined) return out.report('invalid_field', `${at}/${members.major}`)
  if (minor === undefined) return out.report('invalid_field', `${at}/${members.minor}`)
  const txPower = readInteger(item[members.txPower], -128, 127)
  return txPower === undefined ? { uuid, major, minor } : { uuid, major, minor, tx_power: txPower }
}

/** True for a value that is absent, and for zeros, which gateways send for other tags than iBeacons. */
export const isNoUuid = (value: unknown): boolean =>
  isAbsent(value) || (typeof value === 'string' && /^[0-]+$/.test(value))

const PREFIX = Buffer.from('4c000215', 'hex') // Apple, then the kind of beacon and its length

/**
 * Reads the manufacturer data of an advert as an iBeacon: prefix, UUID, major, minor, transmitted power. Some
 * gateways lose the last byte of a full advert, which is not part of the identity.
 */
export function readIbeaconData(data: Buffer): Ibeacon | undefined {
  if (data.length < 24 || !data.subarray(0, 4).equals(PREFIX)) return undefined
  const uuid = readUuid(data.toString('hex', 4, 20))
  if (uuid === undefined) return undefined
  const ibeacon = { uuid, major: data.readUInt16BE(20), minor: data.readUInt16BE(22) }
  return data.length === 24 ? ibeacon : { ...ibeacon, tx_power: data.readInt8(24) }
}
