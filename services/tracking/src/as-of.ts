/**
 * A read counts for the asset that had the tag, and for the place that its antenna had, at its time (D18.1). Changes of
 * both are remembered for this long; a read that is older counts as of the oldest one that is remembered.
 */
export const REMEMBERED_MS = 8 * 24 * 3_600_000

const RECENT_MS = 10_000

/**
 * The instant as of which a read counts. A device that is a few seconds slow must not read with the tags and scan points
 * from before a change, so a time shortly before receipt counts as that of receipt.
 */
export const asOf = (observedAtMs: number, receivedAtMs: number): number =>
  observedAtMs > receivedAtMs - RECENT_MS ? receivedAtMs : observedAtMs
