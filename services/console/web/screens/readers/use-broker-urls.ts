import { useQuery } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'

/** Broker addresses for readers; null if the operator did not configure them. */
export type BrokerUrls = { reader_nats_url: string | null; reader_mqtt_url: string | null }

export const useBrokerUrls = () =>
  useQuery({
    queryKey: ['settings'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const response = await fetch('/session/settings', { signal })
      if (!response.ok) throw new ApiError(response.status, undefined)
      const { data } = (await response.json()) as { data: BrokerUrls }
      return data
    },
  })
