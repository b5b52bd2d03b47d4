import { useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

/** What the organization may store, and stores. */
export const useLimits = () =>
  useQuery({
    queryKey: ['limits'],
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/limits', { signal })).data,
  })
