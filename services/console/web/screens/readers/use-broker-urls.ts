import { useQuery } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'

/** Where readers find the broker, as the operator of the installation told the console; null where they did not. */
export type BrokerUrls = { reader_nats_url: string | null; reader_mqtt_url: string | null }

export const useBrokerUrls = () =>
  useQuery({
    queryKey: ['settings'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const answer = await fetch('/session/settings', { signal })
      if (!answer.ok) throw new ApiError(answer.status, undefined)
      const { data } = (await answer.json()) as { data: BrokerUrls }
      return data
    },
  })
