import { api } from '../../session/api.ts'
import { BATCH, lookUpAll } from '../../parts/load/lookups.ts'

/** A location that is deleted has no key and no name. */
export type Place = { id: number; key: string | null; name: string | null }

/** Last known locations by asset id. Null: the asset was last seen at no location. Without assets never seen. */
export type LastLocations = ReadonlyMap<number, Place | null>

/** With names. */
export const findLocations = async (
  assetIds: readonly number[],
  onProgress: (done: number) => void,
): Promise<LastLocations> => withNames(await findPlaces(assetIds, onProgress))

/** With keys alone. */
export async function findPlaces(
  assetIds: readonly number[],
  onProgress?: (done: number) => void,
): Promise<LastLocations> {
  const found = new Map<number, Place | null>()
  for (let at = 0; at < assetIds.length; at += BATCH) {
    onProgress?.(at)
    const query = { asset_id: assetIds.slice(at, at + BATCH), limit: BATCH }
    const data = await api.get('/api/v1/reports/asset-locations', { query })
    for (const { asset_id, location_id: id, location_external_key: key } of data)
      found.set(asset_id, id === null ? null : { id, key, name: null })
  }
  return found
}

/** The report has only the keys of locations. */
export async function withNames(locations: LastLocations): Promise<LastLocations> {
  const keys = new Set([...locations.values()].flatMap((place) => place?.key ?? []))
  const named = await lookUpAll([...keys], () => undefined)
  const names = new Map([...named.values()].flat().map(({ id, name }) => [id, name]))
  return new Map(
    [...locations].map(([assetId, place]) => [
      assetId,
      place && { ...place, name: names.get(place.id) ?? null },
    ]),
  )
}
