import type { TagType } from './tags.ts'

/**
 * The form in which a tag value is compared with a read (D6.5): `rfid` and `ble` in upper case without spaces, dashes
 * and colons, `barcode` exactly. Catalog indexes it and tracking looks reads up by it, hence one function.
 */
export function matchValue(type: TagType | (string & {}), value: string): string {
  return type === 'barcode' ? value : value.replace(/[\s:-]/g, '').toUpperCase()
}
