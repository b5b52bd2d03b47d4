const PARTS = /^(\d{1,16}) (\d{1,16})$/

/** Names the place at the event `seq` in a list of `owner`, an organization or an endpoint. */
export const cursorOf = (owner: number, seq: number): string =>
  Buffer.from(`${owner} ${seq}`).toString('base64url')

/** Undefined unless `cursorOf` made it for this owner. */
export function seqOf(owner: number, cursor: string): number | undefined {
  const [, named, seq] = (PARTS.exec(Buffer.from(cursor, 'base64url').toString()) ?? []).map(Number)
  const isOurs = named === owner && seq !== undefined && Number.isSafeInteger(seq)
  return isOurs && cursorOf(owner, seq) === cursor ? seq : undefined
}
