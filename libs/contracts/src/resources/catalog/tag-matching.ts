import { decodeHex, encodeHex, parseUri, pureIdentityUri, type Epc } from './epc.ts'

const COMPARABLE = /^(?!0X)[0-9A-Z]*$/
const PURE_IDENTITY = /^urn:epc:id:[a-z]+:[!-~]+$/

/**
 * The form in which a tag value is stored for comparison (D6.5): `rfid` and `ble` in upper case without spaces, dashes and
 * colons, `barcode` unchanged. `rfid` also without `0x`, a tag URN as its hex, and a pure-identity URN in lower case.
 */
export function matchValue(type: string, value: string): string {
  // Most values of readers already have that form, and testing is cheaper than copying.
  if (type === 'barcode' || COMPARABLE.test(value)) return value
  const upper = value.replace(/[\s:-]/g, '').toUpperCase()
  return type === 'rfid' ? (urnForm(value) ?? upper.replace(/^0X(?=[0-9A-F]+$)/, '')) : upper
}

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
