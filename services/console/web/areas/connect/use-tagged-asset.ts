import { useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

export type TaggedAsset = components['schemas']['Asset']

/** The newest tagged asset; null if none of the newest 50 has a tag. */
export const useTaggedAsset = () =>
  useQuery({
    queryKey: ['assets', 'tagged'],
    queryFn: async ({ signal }): Promise<TaggedAsset | null> => {
      const query = { limit: 50, sort: '-created_at' }
      const data = await api.get('/api/v1/assets', { query, signal })
      return data.find(({ tags }) => tags.length > 0) ?? null
    },
  })
