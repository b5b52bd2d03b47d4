import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

export type BranchLocation = components['schemas']['LocationOfBranch']
export type Occupancy = components['schemas']['Occupancy']

const PAGE = 100
/** Limit of the API for values of a filter. */
const MAX_IDS = 200
/** Movements update the counts; polling also covers moved locations, which cause no movement. */
const REFRESH_MS = 15_000

/** Direct sub-locations of a location, or the roots, page by page. */
export function useBranch(parentId: number | undefined) {
  return useInfiniteQuery({
    queryKey: ['locations', 'branch', parentId ?? 'roots'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, offset: pageParam, ...(parentId !== undefined && { parent_id: parentId }) }
      return api.page('/api/v1/locations/branch', { query, signal })
    },
    getNextPageParam: ({ offset, data, total_count }) =>
      data.length > 0 && offset + data.length < total_count ? offset + data.length : undefined,
  })
}

/** Asset counts by location. */
export function useOccupancy(ids: readonly number[]) {
  return useQuery({
    queryKey: ['occupancy', ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const found = new Map<number, Occupancy>()
      for (let at = 0; at < ids.length; at += MAX_IDS) {
        const query = { location_id: ids.slice(at, at + MAX_IDS) }
        const data = await api.get('/api/v1/reports/occupancy', { query, signal })
        for (const row of data) found.set(row.location_id, row)
      }
      return found
    },
  })
}
