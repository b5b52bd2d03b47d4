import { useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { usePage } from '../../parts/load/use-read.ts'
import { api } from '../../session/api.ts'
import { type ScanPoint, scanPoints } from '../connect/use-scan-points.ts'

type Schemas = components['schemas']
export type { TaggedAsset } from '../connect/use-tagged-asset.ts'
export type FirstLocations = { data: Schemas['Location'][]; total_count: number }

/** The newest locations. The guide derives its progress from the data, so that people can leave and continue. */
export const useFirstLocations = () =>
  usePage(['locations', 'start'], '/api/v1/locations', { query: { limit: 5, sort: '-created_at' } })

const AWAITING_MS = 2_000

export type PlacedReader = {
  reader: Schemas['ListedReader']
  points: readonly ScanPoint[]
  /** Its first antenna at a location. */
  placed: ScanPoint | undefined
}

/**
 * The newest configured reader with its first antenna at a location; null if there is no reader. Polled while the first
 * scan is awaited.
 */
export const useNewestReader = (isAwaiting: boolean) =>
  useQuery({
    queryKey: ['readers', 'start'],
    refetchInterval: isAwaiting && AWAITING_MS,
    queryFn: async ({ signal }): Promise<PlacedReader | null> => {
      const query = { limit: 200, configured: true }
      const data = await api.get('/api/v1/readers', { query, signal })
      const [reader] = data.toSorted((a, b) => createdAt(b) - createdAt(a))
      if (!reader || reader.id === null) return null
      const points = await scanPoints(reader.id, signal)
      return { reader, points, placed: points.find(({ location }) => location !== null) }
    },
  })

const createdAt = ({ created_at }: Schemas['ListedReader']) => Date.parse(created_at ?? '')

export type Arrival = { asset: { id: number; name: string }; location: string; at: string }

/** The last scan that located an asset. Null, and polled, until the first one. */
export const useLastArrival = () =>
  useQuery<Arrival | null>({
    queryKey: ['reports', 'start'],
    refetchInterval: ({ state }) => (state.data ? false : AWAITING_MS),
    queryFn: async ({ signal }) => {
      const query = { limit: 1, sort: '-asset_last_seen' }
      const [row] = await api.get('/api/v1/reports/asset-locations', { query, signal })
      if (!row || row.location_id === null) return null
      const [asset, location] = await Promise.all([
        api.get('/api/v1/assets/{asset_id}', { path: { asset_id: row.asset_id }, signal }),
        api.get('/api/v1/locations/{location_id}', { path: { location_id: row.location_id }, signal }),
      ])
      return { asset, location: location.name, at: row.asset_last_seen }
    },
  })
