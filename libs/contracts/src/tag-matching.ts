import type { TagType } from './tags.ts'

const COMPARABLE = /^[0-9A-Z]*$/

/**
 * The form in which a tag value is compared with a read (D6.5): `rfid` and `ble` in upper case without spaces, dashes
 * and colons, `barcode` exactly. Catalog indexes it and tracking looks reads up by it, hence one function.
 */
export function matchValue(type: TagType | (string & {}), value: string): string {
  // Most values of readers are in that form already: looking is cheaper than making a copy.
  return type === 'barcode' || COMPARABLE.test(value) ? value : value.replace(/[\s:-]/g, '').toUpperCase()
}
