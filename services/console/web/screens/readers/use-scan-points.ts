import { useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import type { PickedLocation } from '../../parts/location-picker.tsx'
import { api } from '../../session/api.ts'

export type ScanPoint = {
  id: number
  antenna: number
  name: string
  location: PickedLocation | null
  /** The location that it had until it was deleted: reads move nothing. */
  deletedLocationId?: number
}

/** One page is enough: readers have a few antennas. */
const MOST = 200

/** The scan points of a reader by antenna, with location names. */
export async function scanPoints(readerId: number, signal: AbortSignal): Promise<ScanPoint[]> {
  const params = { path: { reader_id: readerId }, query: { limit: MOST } }
  const { data } = unwrap(await api.GET('/api/v1/readers/{reader_id}/scan-points', { params, signal }))
  const names = await locationNames(
    [...new Set(data.flatMap((point) => point.location_external_key ?? []))],
    signal,
  )
  return data
    .map(({ id, antenna, name, location_id: locationId, location_external_key: key }): ScanPoint => {
      if (locationId === null) return { id, antenna, name, location: null }
      if (key === null) return { id, antenna, name, location: null, deletedLocationId: locationId }
      return {
        id,
        antenna,
        name,
        location: { id: locationId, external_key: key, name: names.get(key) ?? key },
      }
    })
    .toSorted((a, b) => a.antenna - b.antenna)
}

export const useScanPoints = (readerId: number) =>
  useQuery({
    queryKey: ['reader', readerId, 'scan-points'],
    queryFn: ({ signal }) => scanPoints(readerId, signal),
  })

async function locationNames(keys: string[], signal: AbortSignal): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const query = { external_key: keys, limit: MOST }
  const { data } = unwrap(await api.GET('/api/v1/locations', { params: { query }, signal }))
  return new Map(data.map(({ external_key, name }) => [external_key, name]))
}
