import type { NeutralRead } from '../../formats/decoder.ts'
import type { PlacementRules } from '../../positions/rules.ts'
import type { Place } from '../places/place.ts'

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
