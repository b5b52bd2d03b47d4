import { useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import type { PickedLocation } from '../../parts/locations/location-picker.tsx'
import { api } from '../../session/api.ts'
import type { Strength } from '../readers/readers/scan-points/scan-point-strength.ts'

export type ScanPoint = Strength & {
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
  const data = await api.get('/api/v1/readers/{reader_id}/scan-points', {
    path: { reader_id: readerId },
    query: { limit: MOST },
    signal,
  })
  const names = await locationNames(
    [...new Set(data.flatMap((point) => point.location_external_key ?? []))],
    signal,
  )
  return data.map((point) => toScanPoint(point, names)).toSorted((a, b) => a.antenna - b.antenna)
}

function toScanPoint(
  { location_id: locationId, location_external_key: key, ...point }: components['schemas']['ScanPoint'],
  names: ReadonlyMap<string, string>,
): ScanPoint {
  const { id, antenna, name, min_rssi_dbm: minimum, rssi_offset_db: offset } = point
  const own = { id, antenna, name, minimum, offset }
  if (locationId === null) return { ...own, location: null }
  if (key === null) return { ...own, location: null, deletedLocationId: locationId }
  return { ...own, location: { id: locationId, external_key: key, name: names.get(key) ?? key } }
}

export const useScanPoints = (readerId: number) =>
  useQuery({
    queryKey: ['reader', readerId, 'scan-points'],
    queryFn: ({ signal }) => scanPoints(readerId, signal),
  })

async function locationNames(keys: string[], signal: AbortSignal): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const query = { external_key: keys, limit: MOST }
  const data = await api.get('/api/v1/locations', { query, signal })
  return new Map(data.map(({ external_key, name }) => [external_key, name]))
}
