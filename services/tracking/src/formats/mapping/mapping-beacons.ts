import { parseBeacon, readUuid } from '@whereabouts/contracts/resources/catalog/beacons'
import type { ReaderMappingPart } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { readBeaconBytes } from '../ble-adverts.ts'
import type { Ibeacon } from '../decoder.ts'
import { isNoUuid } from '../ibeacons.ts'
import { readInteger } from '../json-values.ts'
import { isHexBytes } from '../tag-values.ts'
import { isAbsent } from '../texts.ts'
import { fieldAt, readPlace, type Origin, type Place } from './mapping-pointers.ts'

/** What an item says: a beacon, nothing, or at `wrong` (a pointer) something that is meant as a beacon and is none. */
export type FoundBeacon = { beacon?: Ibeacon | undefined; wrong?: string }

type Find = (origin: Origin) => FoundBeacon

/** Finds the iBeacon of an item as the mapping says (D19.3). Undefined if the mapping does not say. */
export function beaconFinder({ beacon, tag }: ReaderMappingPart): Find | undefined {
  if (beacon === undefined) return undefined
  if (typeof beacon === 'string') return findText(readPlace(beacon), tag === undefined)
  const { uuid = '', major = '', minor = '', manufacturer_data: data, number_format } = beacon
  return data === undefined
    ? findParts([readPlace(uuid), readPlace(major), readPlace(minor)], number_format === 'hex')
    : findBytes(readPlace(data))
}

const NOTHING: FoundBeacon = {}

/** Other texts are ids of something else, as long as the mapping has a tag for that, and they do not claim to be a beacon. */
const findText =
  (place: Place, isAlone: boolean): Find =>
  (origin) => {
    const { value, at, pointer } = fieldAt(place, origin)
    if (isAbsent(value)) return NOTHING
    const text = typeof value === 'string' ? value : ''
    const beacon = parseBeacon(text)
    if (beacon) return { beacon }
    return isAlone || /^\s*i?-?beacon/i.test(text) ? { wrong: at + pointer } : NOTHING
  }

const findParts =
  ([uuidAt, majorAt, minorAt]: [Place, Place, Place], isHex: boolean): Find =>
  (origin) => {
    const sent = fieldAt(uuidAt, origin)
    if (isNoUuid(sent.value)) return NOTHING
    const uuid = readUuid(sent.value)
    if (uuid === undefined) return { wrong: sent.at + sent.pointer }
    const [major, minor] = [fieldAt(majorAt, origin), fieldAt(minorAt, origin)]
    const numbers = [readNumber(major.value, isHex), readNumber(minor.value, isHex)]
    if (numbers[0] === undefined) return { wrong: major.at + major.pointer }
    if (numbers[1] === undefined) return { wrong: minor.at + minor.pointer }
    return { beacon: { uuid, major: numbers[0], minor: numbers[1] } }
  }

const HEX = /^(?:0x)?[0-9a-f]{1,4}$/i

function readNumber(value: unknown, isHex: boolean): number | undefined {
  if (typeof value === 'string' && HEX.test(value) && (isHex || /^0x/i.test(value)))
    return Number.parseInt(value, 16)
  return isHex && typeof value === 'string' ? undefined : readInteger(value, 0, 0xffff)
}

const findBytes =
  (place: Place): Find =>
  (origin) => {
    const { value, at, pointer } = fieldAt(place, origin)
    if (isAbsent(value)) return NOTHING
    const bytes = readBytes(value)
    return bytes ? { beacon: readBeaconBytes(bytes) } : { wrong: at + pointer }
  }

const BASE64 = /^[\w+/-]*={0,2}$/
/** Longer than any advert. */
const MAX_TEXT = 1024

/** Bytes as hex, with `0x` and separators if there are any, or as base64; undefined for any other value. */
function readBytes(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || value.length > MAX_TEXT) return undefined
  const hex = value.replace(/^0x/i, '').replaceAll(/[\s:-]/g, '')
  if (isHexBytes(hex)) return Buffer.from(hex, 'hex')
  return BASE64.test(value) ? Buffer.from(value, 'base64url') : undefined
}
