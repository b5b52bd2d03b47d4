import { useInfiniteQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { useReloadOnMovement } from '../../../live/use-live.ts'
import { api } from '../../../session/api.ts'
import { queryOf, type Filter } from './filter.ts'

export type Movement = components['schemas']['Movement']

const PAGE = 100

/** Movements that match, newest first, page by page. New ones arrive by themselves. */
export function useMovementPages(filter: Filter) {
  useReloadOnMovement([['movements', 'pages']])
  return useInfiniteQuery({
    queryKey: ['movements', 'pages', filter],
    initialPageParam: '',
    queryFn: async ({ pageParam: after, signal }) => {
      const query = { ...queryOf(filter, Date.now()), limit: PAGE, ...(after !== '' && { after }) }
      return api.page('/api/v1/movements', { query, signal })
    },
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}
