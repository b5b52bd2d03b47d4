/** Proposes a reader key from a location name, with the characters that a key allows. */
export function proposedKey(location: string): string {
  const plain = location.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const key = plain.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return key === '' ? 'reader-1' : `${key.slice(0, 50).toLowerCase()}-reader`
}
