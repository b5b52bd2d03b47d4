import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'
import { batchesOf, MAX_VALUES } from './batches.ts'

export type LastLocation = { id: number; location: { id: number; key: string | null } | null }

/** Last known locations by external key, without assets that were never seen. */
export async function findLocations(
  keys: readonly string[],
  onProgress: (keys: number) => void,
): Promise<Map<string, LastLocation>> {
  const found = new Map<string, LastLocation>()
  let done = 0
  for (const asset_external_key of batchesOf(keys)) {
    onProgress(done)
    const query = { asset_external_key, limit: MAX_VALUES }
    const { data } = unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query } }))
    for (const row of data) {
      const location =
        row.location_id === null ? null : { id: row.location_id, key: row.location_external_key }
      found.set(row.asset_external_key, { id: row.asset_id, location })
    }
    done += asset_external_key.length
  }
  return found
}
