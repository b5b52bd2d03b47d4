/** The place of a movement in the order of pages: its instant in microseconds since 1970, then its asset. */
export type Place = { at: number; assetId: number }

const PARTS = /^(\d{1,16}) (\d{1,16}) (\d{1,16})$/

export const cursorOf = (orgId: number, { at, assetId }: Place): string =>
  Buffer.from(`${orgId} ${at} ${assetId}`).toString('base64url')

/** Undefined unless `cursorOf` made it for this organization. A forged one only skips rows of the caller. */
export function placeOf(orgId: number, cursor: string): Place | undefined {
  const [, org, at, assetId] = (PARTS.exec(Buffer.from(cursor, 'base64url').toString()) ?? []).map(Number)
  if (org !== orgId || at === undefined || assetId === undefined) return undefined
  const place = { at, assetId }
  const isExact = Number.isSafeInteger(at) && Number.isSafeInteger(assetId)
  return isExact && cursorOf(orgId, place) === cursor ? place : undefined
}
