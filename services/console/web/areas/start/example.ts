import type { TagType } from '../../parts/things/tag-types.ts'

/** Names in an example that people recognize later. */
export const EXAMPLE = { location: 'Dock 1', asset: 'Forklift 7' } as const

const HEX = '0123456789ABCDEF'
const DIGITS = '0123456789'

const random = (length: number, alphabet: string) =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(length)),
    (byte) => alphabet[byte % alphabet.length] ?? alphabet[0],
  ).join('')

/** A value that a tag of this type could have. Random, because a tag belongs to one thing only. */
export const exampleTag = (type: TagType): string => values[type]()

const values: Record<TagType, () => string> = {
  rfid: () => `E2801160${random(16, HEX)}`,
  ble: () => `AC233F${random(6, HEX)}`.replaceAll(/..(?!$)/g, '$&:'),
  barcode: () => random(13, DIGITS),
}
