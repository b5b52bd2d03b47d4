import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../../session/api.ts'
import { notSeenSince } from '../../../parts/time/not-seen.ts'
import { QUIET_STATUSES } from '../../../parts/readers/use-readers.ts'

const SHOWN = 3
const REFRESH_MS = 15_000
/** Of what counts all assets that match, and changes slowly. */
const SLOW_REFRESH_MS = 60_000
/** Test events are skipped: they say nothing about deliveries. */
const LATEST_ATTEMPTS = 20

/** Silent readers, and configured readers that never sent a message. */
export const useQuietReaders = () =>
  useQuery({
    queryKey: ['readers', 'quiet'],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { limit: SHOWN, sort: '-last_seen_at', status: [...QUIET_STATUSES] }
      return unwrap(await api.GET('/api/v1/readers', { params: { query }, signal }))
    },
  })

/** Readers that send many messages with problems. */
export const useDegradedReaders = () =>
  useQuery({
    queryKey: ['readers', 'degraded'],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { limit: SHOWN, status: ['degraded' as const] }
      return unwrap(await api.GET('/api/v1/readers', { params: { query }, signal }))
    },
  })

/** Assets that nothing has seen for a day, longest first. Those that were never seen are not among them. */
export const useNotSeen = () =>
  useQuery({
    queryKey: ['report', 'not seen'],
    placeholderData: keepPreviousData,
    refetchInterval: SLOW_REFRESH_MS,
    queryFn: async ({ signal }) => {
      const not_seen_since = notSeenSince('24h')
      const query = { not_seen_since, limit: SHOWN, sort: 'asset_last_seen', expand: 'asset,location' }
      return unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query }, signal }))
    },
  })

/** How many assets jump or wait. */
export const useUnsteadyCount = () =>
  useQuery({
    queryKey: ['unsteady', 'count'],
    refetchInterval: SLOW_REFRESH_MS,
    queryFn: async ({ signal }) => {
      const params = { query: { limit: 1 } }
      return unwrap(await api.GET('/api/v1/reports/unsteady', { params, signal })).total_count
    },
  })

/** Attempts of the webhook that failed since one succeeded, among the latest. None if no webhook is switched on. */
export const useFailedDeliveries = () =>
  useQuery({
    queryKey: ['webhook-deliveries', 'failed'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }): Promise<{ count: number; lastAt: string | null }> => {
      const webhooks = unwrap(await api.GET('/api/v1/webhooks', { signal })).data
      const id = webhooks.find(({ enabled }) => enabled)?.id
      if (id === undefined) return { count: 0, lastAt: null }
      const params = { path: { webhook_id: id }, query: { limit: LATEST_ATTEMPTS } }
      const { data } = unwrap(await api.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params, signal }))
      const attempts = data.filter(({ test }) => !test)
      const delivered = attempts.findIndex(({ outcome }) => outcome === 'delivered')
      const count = delivered === -1 ? attempts.length : delivered
      return { count, lastAt: count === 0 ? null : (attempts[0]?.attempted_at ?? null) }
    },
  })
