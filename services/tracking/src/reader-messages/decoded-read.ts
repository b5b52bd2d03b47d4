import type { DecodedRead, ReaderMessageProblem } from '@whereabouts/contracts/reader-messages'
import type { Decoded } from '../formats/decoder.ts'
import type { FoundRead, Place } from '../ingest/resolve.ts'
import type { KnownAsset } from '../projections/catalog-view.ts'
import { problemsOf, unknownLocation } from '../readers/problem-message.ts'

/** What was not understood in a message, and the first location that its reads name and none has. */
export function problemsIn(
  { errors }: Pick<Decoded, 'errors'>,
  found: readonly FoundRead[],
): ReaderMessageProblem[] {
  const unknown = found.find(hasUnknownLocation)
  return [...problemsOf(errors), ...(unknown ? [unknownLocation(unknown.read.extra?.location ?? '')] : [])]
}

export function toDecodedRead(found: FoundRead): DecodedRead {
  const { read, asset, place } = found
  return {
    tag: { tag_type: read.tag_type, value: read.tag_value },
    antenna: read.extra?.antenna_unusable ? null : read.antenna,
    location_key: read.extra?.location ?? null,
    read_at: read.read_at_ms === null ? null : new Date(read.read_at_ms).toISOString(),
    rssi: read.rssi_dbm,
    asset: named(asset),
    location: named(place.location),
    outcome: outcomeOf(found),
  }
}

function outcomeOf(found: FoundRead): DecodedRead['outcome'] {
  const { read, asset, place, isTooWeak } = found
  if (!asset) return 'unknown_tag'
  if (hasUnknownLocation(found)) return 'unknown_location'
  if (read.extra?.location === undefined && place.scanPointId === null) return 'no_scan_point'
  if (isTooWeak) return 'too_weak'
  return isLive(place) ? 'scan' : 'no_location'
}

/** It names a location by a key that none has. */
const hasUnknownLocation = ({ read, place }: FoundRead): boolean =>
  read.extra?.location !== undefined && !place.location

const isLive = ({ location }: Place): boolean =>
  location !== null && location !== undefined && !location.deleted

const named = (known: KnownAsset | null | undefined) =>
  known && !known.deleted ? { id: known.id, external_key: known.key, name: known.name } : null
