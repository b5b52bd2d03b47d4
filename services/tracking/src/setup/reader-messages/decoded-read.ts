import type {
  DecodedRead,
  ReaderMessageProblem,
} from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { Decoded } from '../../formats/decoder.ts'
import { PlaceProblems } from '../../ingest/places/place-problems.ts'
import { ibeaconOf } from '../../readers/unknown-tags/unknown-tag-log.ts'
import { locationIdOf } from '../../ingest/places/place.ts'
import type { FoundRead } from '../../ingest/places/resolve.ts'
import type { KnownAsset } from '../../catalog/catalog-view.ts'
import { problemsOf, unknownAntenna, wrongClock } from '../../readers/health/problem-message.ts'

/** What was not understood in a message, and why its reads have no place. */
export function problemsIn(
  { errors }: Pick<Decoded, 'errors'>,
  found: readonly FoundRead[],
): ReaderMessageProblem[] {
  const places = new PlaceProblems()
  for (const { read, place } of found) places.note(read, place)
  return [...problemsOf(errors), ...places.list()]
}

/**
 * What a person who tries a message has to know too: mistakes of the device that leave the message readable. They are counted
 * at the reader, and do not make its messages problems.
 */
export function mistakesIn(found: readonly FoundRead[], receivedAtMs: number): ReaderMessageProblem[] {
  const skewed = found.find(({ isSkewed }) => isSkewed)?.read.read_at_ms ?? null
  const antennas = new Set(found.filter(hasUnknownAntenna).map(({ read }) => read.antenna))
  return [
    ...(skewed === null ? [] : [wrongClock(skewed, receivedAtMs)]),
    ...[...antennas].slice(0, SHOWN_ANTENNAS).map(unknownAntenna),
  ]
}

const SHOWN_ANTENNAS = 10

const hasUnknownAntenna = ({ read, place }: FoundRead): boolean =>
  read.extra?.location === undefined && place.scanPointId === null

export function toDecodedRead(found: FoundRead): DecodedRead {
  const { read, asset, place } = found
  const ibeacon = ibeaconOf(read)
  return {
    tag: { tag_type: read.tag_type, value: read.tag_value },
    ...(ibeacon !== undefined && { ibeacon }),
    antenna: read.extra?.antenna_unusable ? null : read.antenna,
    location_key: read.extra?.location ?? null,
    read_at: read.read_at_ms === null ? null : new Date(read.read_at_ms).toISOString(),
    rssi: read.rssi_dbm,
    asset: named(asset),
    location: named(place.location),
    outcome: outcomeOf(found),
  }
}

function outcomeOf({ read, asset, place, isTooWeak }: FoundRead): DecodedRead['outcome'] {
  if (!asset) return 'unknown_tag'
  const locationId = locationIdOf(read, place)
  if (locationId === undefined)
    return read.extra?.location === undefined ? 'no_scan_point' : 'unknown_location'
  if (isTooWeak) return 'too_weak'
  return locationId === null ? 'no_location' : 'scan'
}

const named = (known: KnownAsset | null | undefined) =>
  known && !known.deleted ? { id: known.id, external_key: known.key, name: known.name } : null
