import { beaconValue } from '@whereabouts/contracts/resources/catalog/beacons'
import {
  isPureIdentity,
  matchValue,
  trimBarcode,
} from '@whereabouts/contracts/resources/catalog/tag-matching'
import { isStorable } from './texts.ts'

const MIN_HEX_DIGITS = 4
const MAX_HEX_DIGITS = 124

/** True for hex digits that make whole bytes, of any length. */
export function isHexBytes(value: unknown): value is string {
  if (typeof value !== 'string' || value.length % 2 !== 0) return false
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at) | 0x20 // lower case; no other character becomes a hex digit
    const isDigit = code >= 0x30 && code <= 0x39
    if (!(isDigit || (code >= 0x61 && code <= 0x66)) || value.charCodeAt(at) < 0x30) return false
  }
  return true
}

/** An EPC or TID in hex, as upper case; undefined for any other value. */
function readHexTag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < MIN_HEX_DIGITS || value.length > MAX_HEX_DIGITS)
    return undefined
  // Checked first, because the upper case of some ligatures is a pair of hex digits.
  return isHexBytes(value) ? value.toUpperCase() : undefined
}

/**
 * Like `readHexTag`, and tolerates what people and some readers write: separators, `0x`, and EPC URNs. A tag URN becomes its
 * hex, a pure-identity URN stays one (D16.5).
 */
export function readEpcTag(value: unknown): string | undefined {
  const plain = readHexTag(value)
  if (plain !== undefined || typeof value !== 'string' || value.length > MAX_EPC_TEXT || !ASCII.test(value))
    return plain
  const form = matchValue('rfid', value)
  return isPureIdentity(form) ? form : readHexTag(form)
}

/** As long as a tag value (D6.2). */
const MAX_EPC_TEXT = 255
/** Printable characters and spaces: the upper case of some others is a pair of hex digits. */
const ASCII = /^[\t\n\r -~]+$/

const BASE64 = /^[\w+/-]+={0,2}$/

/** An EPC or TID in base64url or base64, padded or not, as upper-case hex; undefined for any other value. */
export function readBase64Tag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_HEX_DIGITS || !BASE64.test(value)) return undefined
  const padding = value.indexOf('=')
  if ((padding === -1 ? value.length : padding) % 4 === 1) return undefined
  return readHexTag(Buffer.from(value, 'base64url').toString('hex'))
}

const SEPARATED_MAC = /^[0-9a-f]{2}(?:[:\- ]?[0-9a-f]{2}){5}$/i

/** A 48-bit address, with or without separators, as 12 upper-case hex digits; undefined for any other value. */
export function readMac(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < 12 || value.length > 17 || !SEPARATED_MAC.test(value)) {
    return undefined
  }
  return value.length === 12 ? value.toUpperCase() : value.replaceAll(/[:\- ]/g, '').toUpperCase()
}

/** A Bluetooth address, or a beacon in any spelling as `<uuid>/<major>/<minor>` (D19.3); undefined for any other value. */
export const readBleTag = (value: unknown): string | undefined =>
  readMac(value) ?? (typeof value === 'string' ? beaconValue(value) : undefined)

/** The text of a barcode without its ends (D19.1); undefined if nothing is left, or it cannot be stored. */
export function readBarcode(value: unknown): string | undefined {
  const text = typeof value === 'string' ? trimBarcode(value) : ''
  return isStorable(text) ? text : undefined
}
