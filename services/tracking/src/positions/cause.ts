/** What read the asset, and what decided its location: the key in the message, or otherwise the scan point (D8.8). */
export type Cause = {
  readerKey: string | null
  antenna: number | null
  tagId: number | null
  /** As sent. */
  locationKey: string | null
  scanPointId: number | null
}

/** The cause of a save. */
export const NOT_READ: Cause = {
  readerKey: null,
  antenna: null,
  tagId: null,
  locationKey: null,
  scanPointId: null,
}

export const causeOf = ({ readerKey, antenna, tagId, locationKey, scanPointId }: Cause): Cause => ({
  readerKey,
  antenna,
  tagId,
  locationKey,
  scanPointId,
})
