import { useQuery } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'

export type Counts = { assets: number; locations: number; readers: number; unknownTags: number }

const ONE_ROW = { query: { limit: 1 } }
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
        api.page('/api/v1/assets', { ...ONE_ROW, signal }),
        api.page('/api/v1/locations', { ...ONE_ROW, signal }),
        api.page('/api/v1/readers', { ...ONE_ROW, signal }),
        api.page('/api/v1/unknown-tags', { ...ONE_ROW, signal }),
      ])
      return {
        assets: assets.total_count,
        locations: locations.total_count,
        readers: readers.total_count,
        unknownTags: unknownTags.total_count,
      }
    },
  })
