import { useQuery } from '@tanstack/react-query'
import { useRead } from '../../../parts/load/use-read.ts'
import type { PickedLocation } from '../../../parts/locations/location-picker.tsx'
import { api } from '../../../session/api.ts'

const REFRESH_MS = 10_000
/** Besides the first one (D13.9). */
export const MOST_FURTHER = 10

/** All webhooks, the primary one first. */
export const useWebhooks = () =>
  useRead(['webhooks', 'list'], '/api/v1/webhook-endpoints', { refetchInterval: REFRESH_MS })

export const useWebhook = (id: number) =>
  useRead(['webhooks', id], '/api/v1/webhook-endpoints/{webhook_id}', {
    path: { webhook_id: id },
    refetchInterval: REFRESH_MS,
  })

/** What was delivered in each of the last 24 hours, what waits, and since when attempts fail. */
export const useStats = (id: number) =>
  useRead(['webhooks', id, 'stats'], '/api/v1/webhook-endpoints/{webhook_id}/stats', {
    path: { webhook_id: id },
    refetchInterval: REFRESH_MS,
  })

/** Locations by id, as they are called now. One that was deleted says so. */
export const useNamedLocations = (ids: readonly number[]) =>
  useQuery({
    queryKey: ['locations', 'named', ids],
    queryFn: async ({ signal }): Promise<PickedLocation[]> => {
      if (ids.length === 0) return []
      const query = { id: [...ids], limit: 200, window: 'any' as const }
      const found = await api.get('/api/v1/locations', { query, signal })
      return ids.map(
        (id) =>
          found.find((one) => one.id === id) ?? { id, name: 'Deleted location', external_key: String(id) },
      )
    },
  })
