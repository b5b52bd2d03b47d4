import { useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

export type Counts = { assets: number; locations: number; readers: number; unknownTags: number }

const NONE = { params: { query: { limit: 1 } } } as const
const REFRESH_MS = 30_000

/** How much there is of everything: each list says how many rows it has. */
export const useCounts = () =>
  useQuery({
    queryKey: ['overview', 'counts'],
    refetchInterval: REFRESH_MS,
    // Whoever comes back from creating the first asset must not see that there is none.
    refetchOnMount: 'always',
    queryFn: async ({ signal }): Promise<Counts> => {
      const [assets, locations, readers, unknownTags] = await Promise.all([
        api.GET('/api/v1/assets', { ...NONE, signal }),
        api.GET('/api/v1/locations', { ...NONE, signal }),
        api.GET('/api/v1/readers', { ...NONE, signal }),
        api.GET('/api/v1/unknown-tags', { ...NONE, signal }),
      ])
      return {
        assets: unwrap(assets).total_count,
        locations: unwrap(locations).total_count,
        readers: unwrap(readers).total_count,
        unknownTags: unwrap(unknownTags).total_count,
      }
    },
  })
