import type { Cause } from './cause.ts'

/**
 * What reads said beyond the newest row of an asset. Stored as JSON with its position, only where the rules need it.
 * Instants are milliseconds since 1970.
 */
export type Evidence = {
  /** That of `last` and `outvoted`: they end with it. */
  minute: number
  /** The last read of the newest minute, if another place was read in that minute. */
  last?: LastRead
  /** With the zone decision: the places that were heard within the hold, the newest last. */
  heard?: HeardPlace[]
  /** Reads of the newest minute that were set aside, the strongest first. */
  outvoted?: Outvoted[]
}

/** It waits if it is at another place than the row of its minute. `cause` is that of the row which carries it. */
export type LastRead = {
  at: number
  place: number
  /** When the broker received it. */
  received: number
  /** From a late read, which announces nothing. */
  is_late?: true | undefined
  cause: Cause
}

export type HeardPlace = {
  place: number
  /** Of the newest read there. */
  at: number
  /** Corrected, in dBm. Null: that read had no strength. */
  rssi: number | null
  /** The first of the reads in a row that were strong enough to move the asset here. */
  stronger_since?: number | undefined
  /** Since then the place counts as 0 dBm, for the hold: a save, or a read that is not judged. */
  fixed_at?: number | undefined
}

export type Outvoted = { place: number; reader_key: string; rssi: number | null; reads: number }

const KEPT_OUTVOTED = 5

/** Adds reads that were set aside. Keeps those of the strongest places and readers. */
export function addOutvoted(
  into: readonly Outvoted[],
  { place, reader_key, rssi, reads }: Outvoted,
): Outvoted[] {
  const same = (one: Outvoted) => one.place === place && one.reader_key === reader_key
  const before = into.find(same)
  const sum = {
    place,
    reader_key,
    rssi: stronger(before?.rssi ?? null, rssi),
    reads: (before?.reads ?? 0) + reads,
  }
  return [...into.filter((one) => !same(one)), sum]
    .toSorted((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || b.reads - a.reads)
    .slice(0, KEPT_OUTVOTED)
}

const stronger = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/** The place that was read last and is not in the row of its minute (D18.3). */
export const waitingOf = ({
  minute,
  locationId,
  evidence,
}: {
  minute: number
  locationId: number | null
  evidence: Evidence | null
}): LastRead | null => {
  const last = evidence?.minute === minute ? evidence.last : undefined
  return last !== undefined && last.place !== locationId ? last : null
}

export const CARRY_AFTER_MS = 5_000

/** When a waiting read becomes the first observation of the next minute: 5 s after its minute, or after it came. */
export const carryAtMs = ({ at, received }: LastRead): number =>
  Math.max((Math.floor(at / 60_000) + 1) * 60_000, received) + CARRY_AFTER_MS
