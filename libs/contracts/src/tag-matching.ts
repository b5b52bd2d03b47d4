import type { TagType } from './tags.ts'

const COMPARABLE = /^[0-9A-Z]*$/

/**
 * The form in which a tag value is compared with a read (D6.5): `rfid` and `ble` in upper case without spaces, dashes
 * and colons, `barcode` unchanged. Catalog indexes it and tracking searches with it, so both use this function.
 */
export function matchValue(type: TagType | (string & {}), value: string): string {
  // Most values of readers already have that form, and testing is cheaper than copying.
  return type === 'barcode' || COMPARABLE.test(value) ? value : value.replace(/[\s:-]/g, '').toUpperCase()
}
