import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'
import { batchesOf, MAX_VALUES } from './batches.ts'

export type Whereabouts = { id: number; location: { id: number; key: string | null } | null }

/** Where assets were last seen, by their keys; those that were never seen are not in it. */
export async function whereAre(
  keys: readonly string[],
  onAsked: (keys: number) => void,
): Promise<Map<string, Whereabouts>> {
  const found = new Map<string, Whereabouts>()
  let asked = 0
  for (const asset_external_key of batchesOf(keys)) {
    onAsked(asked)
    const query = { asset_external_key, limit: MAX_VALUES }
    const { data } = unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query } }))
    for (const row of data) {
      const location =
        row.location_id === null ? null : { id: row.location_id, key: row.location_external_key }
      found.set(row.asset_external_key, { id: row.asset_id, location })
    }
    asked += asset_external_key.length
  }
  return found
}
