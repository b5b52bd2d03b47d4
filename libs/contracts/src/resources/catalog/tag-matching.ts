import { beaconValue } from './beacons.ts'
import { decodeHex, encodeHex, parseUri, pureIdentityUri, type Epc } from './epc.ts'

const COMPARABLE = /^(?!0X)[0-9A-Z]*$/
/** Of a beacon as one number in hex. */
const BEACON_DIGITS = 40
const PURE_IDENTITY = /^urn:epc:id:[a-z]+:[!-~]+$/

/**
 * The form in which a tag value is stored for comparison (D6.5): `rfid` and `ble` in upper case without spaces, dashes and
 * colons, `barcode` as `barcodeForm`. `rfid` also without `0x`, a tag URN as its hex, and a pure-identity URN in lower case.
 * A beacon in any spelling as `<uuid>/<major>/<minor>` (D19.3).
 */
export function matchValue(type: string, value: string): string {
  // Most values of readers already have that form, and testing is cheaper than copying.
  if (COMPARABLE.test(value) && value.length !== BEACON_DIGITS) return value
  if (type === 'barcode') return barcodeForm(value)
  const upper = normalTagValue(type, value)
    .replace(/[\s:-]/g, '')
    .toUpperCase()
  return type === 'rfid' ? (urnForm(value) ?? upper.replace(/^0X(?=[0-9A-F]+$)/, '')) : upper
}

/**
 * Barcodes compare exactly, without the ends that scanners add, after NFC, and with the symbols of separators as what they
 * stand for (D19). One of nothing else, from before this rule, compares as it is.
 */
const barcodeForm = (value: string): string =>
  PRINTABLE.test(value)
    ? value
    : trimBarcode(value)
        .replaceAll(/[␜␝␞␟␄]/g, controlOf)
        .normalize('NFC') || value

const PRINTABLE = /^[!-~]*$/
const controlOf = (symbol: string) => String.fromCharCode(symbol.charCodeAt(0) - 0x24_00)

/** The value without space, tab, CR and LF at its ends, which are no part of a barcode (D19.1). */
export function trimBarcode(value: string): string {
  let [start, end] = [0, value.length]
  while (start < end && ENDS.has(value.charCodeAt(start))) start += 1
  while (end > start && ENDS.has(value.charCodeAt(end - 1))) end -= 1
  return value.slice(start, end)
}

const ENDS: ReadonlySet<number> = new Set([32, 9, 13, 10])

/**
 * A value as it is registered, filtered by and shown: a barcode without its ends (D19.1), a beacon as
 * `<uuid>/<major>/<minor>` (D19.3), everything else as sent.
 */
export function normalTagValue(type: string, value: string): string {
  if (type === 'barcode') return trimBarcode(value)
  return (type === 'ble' ? beaconValue(value) : undefined) ?? value
}

/** The form in which a value is unique in its organization and type: barcodes as they compare (D19.2), beacons in one spelling. */
export const uniqueForm = (type: string, value: string): string =>
  type === 'barcode' ? barcodeForm(value) : normalTagValue(type, value)

/** Undefined for other texts and for URNs that cannot be decoded, which compare as texts. */
function urnForm(value: string): string | undefined {
  const text = value.replace(/\s/g, '').toLowerCase()
  if (isPureIdentity(text)) return text
  const epc = parseUri(text)
  return epc && encodeHex(epc)
}

/** True for the form of a pure-identity URN: it matches the hex of each filter value. */
export const isPureIdentity = (form: string): boolean => form.startsWith('urn:') && PURE_IDENTITY.test(form)

/**
 * The stored forms that match a value: its own form first, then that of its pure identity, or of each filter value of
 * it (D6.5). So codes that differ in the filter do not match each other.
 */
export function matchValues(type: string, value: string): string[] {
  const form = matchValue(type, value)
  const epc = type === 'rfid' ? epcOfForm(form) : undefined
  if (!epc) return [form]
  if (epc.filter !== null) return [form, pureIdentityUri(epc)]
  return [form, ...FILTERS.flatMap((filter) => encodeHex({ ...epc, filter }) ?? [])]
}

const FILTERS = [0, 1, 2, 3, 4, 5, 6, 7]

const epcOfForm = (form: string): Epc | undefined => decodeHex(form) ?? parseUri(form)

/** The code in the value of an `rfid` tag; undefined if it has none that can be decoded. */
export const decodeEpc = (value: string): Epc | undefined => epcOfForm(matchValue('rfid', value))
