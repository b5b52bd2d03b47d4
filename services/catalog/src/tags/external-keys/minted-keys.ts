import { keysExhausted } from '../../errors.ts'

/** The form of minted keys, by table. The migrations use the same patterns for `key_number`. */
const minted = {
  asset: { prefix: 'ASSET-', digits: 4, pattern: /^ASSET-([0-9]+)$/ },
  location: { prefix: 'LOC-', digits: 3, pattern: /^LOC-([0-9]+)$/ },
} as const
export type KeyedTable = keyof typeof minted

const MAX_LENGTH = 255

/** The number of a key that looks minted, otherwise undefined. A chosen key may have any number of digits. */
export function numberOfKey(table: KeyedTable, key: string): bigint | undefined {
  const digits = minted[table].pattern.exec(key)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

/** Throws `keysExhausted` if the key would be too long. */
export function keyWithNumber(table: KeyedTable, number: bigint): string {
  const { prefix, digits } = minted[table]
  const key = prefix + String(number).padStart(digits, '0')
  if (key.length > MAX_LENGTH) throw keysExhausted(prefix)
  return key
}
