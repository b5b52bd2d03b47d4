import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

const at = (location_id: number) => ({ path: { location_id } })

/** Of no location with 0. */
export const useLocationView = (id: number) =>
  useQuery({
    queryKey: ['location', id],
    enabled: id !== 0,
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/v1/locations/{location_id}', { params: at(id), signal })).data,
  })

/** Ancestors from the root to the parent. If there are more than 200, only those next to the root. */
export const useAncestors = (id: number) =>
  useQuery({
    queryKey: ['location', id, 'ancestors'],
    queryFn: async ({ signal }) => {
      const params = { ...at(id), query: { limit: 200 } }
      return unwrap(await api.GET('/api/v1/locations/{location_id}/ancestors', { params, signal })).data
    },
  })

const HERE_PAGE = 25

/** Assets at a location now; `deep` includes sub-locations. */
export const useHere = (id: number, { deep, offset }: { deep: boolean; offset: number }) =>
  useQuery({
    queryKey: ['report', 'here', id, deep, offset],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = {
        location_id: [id],
        include_descendants: deep,
        limit: HERE_PAGE,
        offset,
        expand: 'asset,location',
      }
      return unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query }, signal }))
    },
  })
