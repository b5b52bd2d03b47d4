import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

const SHOWN_READERS = 5
const REFRESH_MS = 15_000
/** Test events are skipped: they say nothing about deliveries. */
const LATEST_ATTEMPTS = 20

type Attempt = components['schemas']['WebhookDelivery']

/** Silent readers, and configured readers that never sent a message. */
export const useQuietReaders = () =>
  useQuery({
    queryKey: ['readers', 'quiet'],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { limit: SHOWN_READERS, sort: '-last_seen_at', status: QUIET }
      return unwrap(await api.GET('/api/v1/readers', { params: { query }, signal }))
    },
  })
const QUIET: ('silent' | 'never_heard')[] = ['silent', 'never_heard']

/** The newest attempt of the webhook, if it failed. Null if it succeeded, or if no webhook is switched on. */
export const useFailedDelivery = () =>
  useQuery({
    queryKey: ['webhook-deliveries', 'failed'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }): Promise<Attempt | null> => {
      const webhooks = unwrap(await api.GET('/api/v1/webhooks', { signal })).data
      const id = webhooks.find(({ enabled }) => enabled)?.id
      if (id === undefined) return null
      const params = { path: { webhook_id: id }, query: { limit: LATEST_ATTEMPTS } }
      const attempts = unwrap(await api.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params, signal }))
      const newest = attempts.data.find(({ test }) => !test)
      return newest === undefined || newest.outcome === 'delivered' ? null : newest
    },
  })
