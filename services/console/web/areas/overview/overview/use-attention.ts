import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { usePage } from '../../../parts/load/use-read.ts'
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
  usePage(['readers', 'quiet'], '/api/v1/readers', {
    query: { limit: SHOWN, sort: '-last_seen_at', status: [...QUIET_STATUSES] },
    refetchInterval: REFRESH_MS,
  })

/** Readers that send many messages with problems. */
export const useDegradedReaders = () =>
  usePage(['readers', 'degraded'], '/api/v1/readers', {
    query: { limit: SHOWN, status: ['degraded' as const] },
    refetchInterval: REFRESH_MS,
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
      return api.page('/api/v1/reports/asset-locations', { query, signal })
    },
  })

/** How many assets are at their home. Together with those that are misplaced: all with a home and a location. */
export const useAtHomeCount = (): number | undefined =>
  usePage(['report', 'misplaced', 'at home'], '/api/v1/reports/asset-locations', {
    query: { misplaced: false, limit: 1 },
    refetchInterval: SLOW_REFRESH_MS,
  }).data?.total_count

/** How many assets jump or wait. */
export const useUnsteadyCount = () =>
  useQuery({
    queryKey: ['unsteady', 'count'],
    refetchInterval: SLOW_REFRESH_MS,
    queryFn: async ({ signal }) =>
      (await api.page('/api/v1/reports/unsteady', { query: { limit: 1 }, signal })).total_count,
  })

type Webhook = components['schemas']['Webhook']
type Failed = { count: number; lastAt: string | null; webhooks: readonly Webhook[] }

/**
 * Webhooks that fail or were switched off for it, and attempts of the primary one that failed since one succeeded, among
 * the latest: these show a failure before it has lasted.
 */
export const useFailedDeliveries = () =>
  useQuery({
    queryKey: ['webhooks', 'failed'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }): Promise<Failed> => {
      const all = await api.get('/api/v1/webhook-endpoints', { signal })
      const webhooks = all.filter(
        ({ health, disabled_because: because }) => health === 'failing' || because !== null,
      )
      const id = all.find(({ primary, enabled }) => primary && enabled)?.id
      if (id === undefined) return { count: 0, lastAt: null, webhooks }
      const data = await api.get('/api/v1/webhooks/{webhook_id}/deliveries', {
        path: { webhook_id: id },
        query: { limit: LATEST_ATTEMPTS },
        signal,
      })
      const attempts = data.filter(({ test }) => !test)
      const delivered = attempts.findIndex(({ outcome }) => outcome === 'delivered')
      const count = delivered === -1 ? attempts.length : delivered
      return { count, lastAt: count === 0 ? null : (attempts[0]?.attempted_at ?? null), webhooks }
    },
  })
