const PARTS = /^(\d{1,16}) (\d{1,16})$/

/** Names the place after the event `seq` in the order of the organization. */
export const cursorOf = (orgId: number, seq: number): string =>
  Buffer.from(`${orgId} ${seq}`).toString('base64url')

/** Undefined unless `cursorOf` made it for this organization. */
export function seqOf(orgId: number, cursor: string): number | undefined {
  const [, org, seq] = (PARTS.exec(Buffer.from(cursor, 'base64url').toString()) ?? []).map(Number)
  const isOurs = org === orgId && seq !== undefined && Number.isSafeInteger(seq)
  return isOurs && cursorOf(orgId, seq) === cursor ? seq : undefined
}
