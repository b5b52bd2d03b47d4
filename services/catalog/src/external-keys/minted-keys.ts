import { keysExhausted } from '../errors.ts'

/** Tables with auto-minted keys, and how such a key looks. The same pattern makes `key_number` in the migrations. */
const minted = {
  asset: { prefix: 'ASSET-', digits: 4, pattern: /^ASSET-([0-9]+)$/ },
  location: { prefix: 'LOC-', digits: 3, pattern: /^LOC-([0-9]+)$/ },
} as const
export type KeyedTable = keyof typeof minted

const MAX_LENGTH = 255

/** The number of a key that looks minted, chosen ones included. The digits may exceed any integer type. */
export function numberOfKey(table: KeyedTable, key: string): bigint | undefined {
  const digits = minted[table].pattern.exec(key)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

/** Throws `keysExhausted` when the key would be too long for one. */
export function keyWithNumber(table: KeyedTable, number: bigint): string {
  const { prefix, digits } = minted[table]
  const key = prefix + String(number).padStart(digits, '0')
  if (key.length > MAX_LENGTH) throw keysExhausted(prefix)
  return key
}
