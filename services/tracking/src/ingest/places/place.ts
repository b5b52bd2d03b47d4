import type { NeutralRead } from '../../formats/decoder.ts'
import type { CatalogView, KnownLocation } from '../../catalog/catalog-view.ts'
import {
  assignmentAt,
  type AntennaAssignment,
  type AntennaHistory,
  type ScanPointStrength,
} from '../../readers/antenna-history.ts'
import type { ReaderDirectory } from '../../readers/reader-directory.ts'
import type { PlacementRules } from '../../positions/rules.ts'
import type { ReaderMessage } from '../reads/reader-message.ts'

/**
 * Where a read was. `scanPointId` is null if the read has a location key, which wins (D8.8), or if its antenna was
 * unassigned. `location` is undefined for a location that is named but unknown; then `locationId` says which one a scan
 * point names.
 */
export type Place = {
  scanPointId: number | null
  locationId: number | null
  location: KnownLocation | null | undefined
  /** How the antenna's strengths count now. */
  strength?: ScanPointStrength | undefined
}

const NOWHERE: Place = { scanPointId: null, locationId: null, location: null }

/**
 * Finds the places of the reads of a message, each as of its instant: a scan point may have moved since (D18.1). A
 * location key is that of now. Most messages are from one antenna or a few, and few antennas changed lately.
 */
export function placesOf(
  { orgId, readerKey }: Pick<ReaderMessage, 'orgId' | 'readerKey'>,
  { view, directory }: { view: CatalogView; directory: ReaderDirectory },
) {
  const antennas = new Map<number, { history: AntennaHistory; place: Place }>()
  return ({ antenna, extra }: NeutralRead, asOfMs: number): Place => {
    if (extra?.location !== undefined)
      return { scanPointId: null, locationId: null, location: view.locationByKey(orgId, extra.location) }
    if (extra?.antenna_unusable) return NOWHERE
    let known = antennas.get(antenna)
    if (known === undefined) {
      const history = directory.antenna(orgId, readerKey, antenna)
      known = { history, place: findPlace(history, history.now, orgId, view) }
      antennas.set(antenna, known)
    }
    const { history, place } = known
    return history.changes === undefined
      ? place
      : findPlace(history, assignmentAt(history, asOfMs), orgId, view)
  }
}

function findPlace(
  { strength }: AntennaHistory,
  assignment: AntennaAssignment,
  orgId: number,
  view: CatalogView,
): Place {
  if (!assignment.isAssigned) return NOWHERE
  const { scanPointId, locationId } = assignment
  const location = locationId === null ? null : view.location(orgId, locationId)
  return { scanPointId, locationId, location, strength }
}

/** The place is that of a scan point at a location that is deleted: as if the antenna had no scan point (D18.5). */
export const isDeletedPlace = ({ scanPointId, location }: Place): boolean =>
  scanPointId !== null && location?.deleted === true

/**
 * The location of a read. Null, which is a scan, for a scan point without a location or with an unknown one. Undefined,
 * which is not a scan, for a key without a location, for an unassigned antenna and for a deleted location.
 */
export function locationIdOf({ extra }: NeutralRead, place: Place): number | null | undefined {
  if (extra?.location !== undefined) return place.location?.id
  if (place.scanPointId === null || isDeletedPlace(place)) return undefined
  return place.location?.id ?? null
}

/** The strength of a read in dBm, as its scan point corrects it; null without one. */
export const rssiOf = ({ rssi_dbm }: NeutralRead, { strength }: Place): number | null =>
  rssi_dbm === null || strength === undefined ? rssi_dbm : rssi_dbm + strength.rssiOffsetDb

/** Whether a read does not count, because it is weaker than its scan point or its organization wants (D18.7 a). */
export function isTooWeak(
  rssi: number | null,
  { tag_type }: NeutralRead,
  { strength }: Place,
  { tagTypes, minRssiDbm }: PlacementRules,
): boolean {
  const least = strength?.minRssiDbm ?? minRssiDbm
  if (rssi === null || least === null || rssi >= least) return false
  return typeof strength?.minRssiDbm === 'number' || tagTypes.includes(tag_type)
}
