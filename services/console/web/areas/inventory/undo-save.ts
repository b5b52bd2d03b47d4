import { api } from '../../session/api.ts'
import { findPlaces } from './last-locations.ts'
import { refusedKeys, isLocationGone, type Saved } from './save.ts'
import { backByLocation, type Undone } from './undone.ts'

/**
 * Saves each asset that the save moved where it was before. One that has moved meanwhile stays where it is now. One
 * without an earlier location stays too: nothing can say that an asset is nowhere.
 */
export async function undoSave({ response, outcome: { moved } }: Saved): Promise<Undone> {
  const now = await findPlaces(moved.map(({ asset }) => asset.id))
  let back = 0
  for (const [key, rows] of backByLocation(moved, now, response.location_id))
    back += await saveBack(
      key,
      rows.map(({ asset }) => asset.external_key),
    )
  return { back, left: moved.length - back }
}

/** Returns how many were saved. What was deleted meanwhile is left out. */
async function saveBack(location: string, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0
  const body = { asset_identifiers: [...keys], location_identifier: location }
  try {
    return (await api.post('/api/v1/inventory/save', { body })).count
  } catch (error) {
    if (isLocationGone(error)) return 0
    const refused = refusedKeys(error)
    const others = keys.filter((key) => !refused.has(key))
    if (others.length === keys.length) throw error
    return saveBack(location, others)
  }
}
