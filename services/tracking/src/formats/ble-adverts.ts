import type { Collector } from './collector.ts'
import type { Ibeacon } from './decoder.ts'
import { readIbeaconData } from './ibeacons.ts'
import type { JsonObject } from './json-values.ts'
import { isHexBytes } from './tag-values.ts'
import { isAbsent, readText } from './texts.ts'

/** The facts about a tag in the payload of its Bluetooth advert. */
export type Advert = { ibeacon?: Ibeacon | undefined; name?: string | undefined }

const APPLE = Buffer.from([0x4c, 0x00])
const SHORTENED_NAME = 0x08
const COMPLETE_NAME = 0x09
const MANUFACTURER_DATA = 0xff

/**
 * Reads the adverts (and scan responses) that `members` of an item contain as hex. The first one with a fact counts.
 * Reports values that are not hex.
 */
export function readAdverts(
  out: Collector,
  item: JsonObject,
  at: string,
  members: readonly string[],
): Advert {
  const advert: Advert = {}
  for (const member of members) {
    const value = item[member]
    if (isAbsent(value)) continue
    if (isHexBytes(value)) readStructures(Buffer.from(value, 'hex'), advert)
    else out.report('invalid_field', `${at}/${member}`)
  }
  return advert
}

/** The iBeacon in the bytes of an advert, or of its manufacturer data alone, with or without the company in front. */
export function readBeaconBytes(bytes: Buffer): Ibeacon | undefined {
  const advert: Advert = {}
  readStructures(bytes, advert)
  return advert.ibeacon ?? readIbeaconData(bytes) ?? readIbeaconData(Buffer.concat([APPLE, bytes]))
}

/** A list of structures: length, type, data. A length of 0 is padding, and one past the end ends the list. */
function readStructures(bytes: Buffer, advert: Advert): void {
  let at = 0
  while (at + 1 < bytes.length) {
    const length = bytes[at] ?? 0
    if (length > 0) {
      const isWhole = at + 1 + length <= bytes.length
      readStructure(bytes[at + 1], bytes.subarray(at + 2, at + 1 + length), isWhole, advert)
    }
    at += 1 + length
  }
}

function readStructure(type: number | undefined, data: Buffer, isWhole: boolean, advert: Advert): void {
  if (type === MANUFACTURER_DATA) advert.ibeacon ??= readIbeaconData(data)
  else if (isWhole && (type === COMPLETE_NAME || type === SHORTENED_NAME)) advert.name ??= readName(data)
}

/** A name may be any bytes, often padded with zeros. */
const readName = (data: Buffer) => readText(data.toString('utf8').replace(/\0+$/, ''))
