import { useQuery } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'

/** The version, and broker addresses for readers; null if the operator did not configure them. */
export type Settings = { version: string; reader_nats_url: string | null; reader_mqtt_url: string | null }

export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const response = await fetch('/session/settings', { signal })
      if (!response.ok) throw new ApiError(response.status, undefined)
      const { data } = (await response.json()) as { data: Settings }
      return data
    },
  })
