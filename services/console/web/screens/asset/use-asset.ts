import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useEffect, useRef } from 'react'
import { useMovements } from '../../live/use-live.ts'
import { fromLocalInput } from '../../parts/local-time.ts'
import { api } from '../../session/api.ts'

/** A read at the same location is not a movement, so it is polled. */
const REFRESH_MS = 15_000
const SIGHTINGS = 100
const HISTORY_PAGE = 25

export const useAsset = (id: number) =>
  useQuery({
    queryKey: ['asset', id, 'data'],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } }, signal })).data,
  })

/** Its row in the asset location report; null if it has none. */
export const useReportRow = (id: number) =>
  useQuery({
    queryKey: ['asset', id, 'report-row'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { asset_id: [id] }
      const { data } = unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query }, signal }))
      return data[0] ?? null
    },
  })

export const useSightings = (id: number) =>
  useInfiniteQuery({
    queryKey: ['asset', id, 'sightings'],
    refetchInterval: REFRESH_MS,
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const params = { path: { asset_id: id }, query: { limit: SIGHTINGS, offset } }
      return unwrap(await api.GET('/api/v1/assets/{asset_id}/sightings', { params, signal }))
    },
    getNextPageParam: ({ offset, data, total_count: total }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
  })

/** One page of its sightings in a period. */
export function useHistory(id: number, { from, to, offset }: { from: string; to: string; offset: string }) {
  const [first, last] = [fromLocalInput(from), fromLocalInput(to)]
  const query = {
    limit: HISTORY_PAGE,
    offset: Number(offset),
    ...(first !== null && { from: first }),
    ...(last !== null && { to: last }),
  }
  return useQuery({
    queryKey: ['asset', id, 'history', query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { asset_id: id }, query }
      return unwrap(await api.GET('/api/v1/assets/{asset_id}/sightings', { params, signal }))
    },
  })
}

const DEBOUNCE_MS = 500

/** Reloads when this asset moves. */
export function useReloadOnMove(id: number): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reload = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      for (const part of ['report-row', 'sightings', 'history'])
        void client.invalidateQueries({ queryKey: ['asset', id, part] })
    }, DEBOUNCE_MS)
  }
  useMovements({ onMovement: ({ asset }) => asset.id === id && reload(), onReset: reload })
  useEffect(() => () => clearTimeout(timer.current), [])
}
