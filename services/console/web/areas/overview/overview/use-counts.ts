import { useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../../session/api.ts'

export type Counts = { assets: number; locations: number; readers: number; unknownTags: number }

const ONE_ROW = { params: { query: { limit: 1 } } } as const
const REFRESH_MS = 30_000

/** Total counts, from the `total_count` of each list. */
export const useCounts = () =>
  useQuery({
    queryKey: ['overview', 'counts'],
    refetchInterval: REFRESH_MS,
    // After the first asset is created, the cached zero must not show.
    refetchOnMount: 'always',
    queryFn: async ({ signal }): Promise<Counts> => {
      const [assets, locations, readers, unknownTags] = await Promise.all([
        api.GET('/api/v1/assets', { ...ONE_ROW, signal }),
        api.GET('/api/v1/locations', { ...ONE_ROW, signal }),
        api.GET('/api/v1/readers', { ...ONE_ROW, signal }),
        api.GET('/api/v1/unknown-tags', { ...ONE_ROW, signal }),
      ])
      return {
        assets: unwrap(assets).total_count,
        locations: unwrap(locations).total_count,
        readers: unwrap(readers).total_count,
        unknownTags: unwrap(unknownTags).total_count,
      }
    },
  })
