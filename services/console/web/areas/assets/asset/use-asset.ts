import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { usePage, useRead } from '../../../parts/load/use-read.ts'
import { useMovements } from '../../../live/use-live.ts'
import { api } from '../../../session/api.ts'
import type { Dwell } from './sightings.ts'

/** A read at the same location is not a movement, so it is polled. */
const REFRESH_MS = 15_000
const SIGHTINGS = 100
const ROWS = 25

type Period = { from: string | null; to: string | null }
const EVER: Period = { from: null, to: null }

export const useAsset = (id: number) =>
  useRead(['asset', id, 'data'], '/api/v1/assets/{asset_id}', { path: { asset_id: id } })

/** Its row in the asset location report; null if it has none. */
export const useReportRow = (id: number) =>
  useQuery({
    queryKey: ['asset', id, 'report-row'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const [row] = await api.get('/api/v1/reports/asset-locations', {
        query: { asset_id: [id], expand: 'home' },
        signal,
      })
      return row ?? null
    },
  })

/** The sightings in a period, newest first, a page at a time. */
export const useSightings = (id: number, { from, to }: Period = EVER) =>
  useInfiniteQuery({
    queryKey: ['asset', id, 'sightings', from, to],
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const query = { limit: SIGHTINGS, offset, ...(from !== null && { from }), ...(to !== null && { to }) }
      return api.page('/api/v1/assets/{asset_id}/sightings', { path: { asset_id: id }, query, signal })
    },
    getNextPageParam: ({ offset, data, total_count: total }) =>
      data.length > 0 && offset + data.length < total ? offset + data.length : undefined,
  })

/** One page of the rows of a stay. */
export function useStayRows(id: number, { from, lastSeen }: Dwell, offset: number) {
  // The API cuts an instant to milliseconds: the last row may be a bit later.
  const to = new Date(Date.parse(lastSeen) + 1).toISOString()
  const query = { from, to, limit: ROWS, offset }
  return usePage(['asset', id, 'rows', query], '/api/v1/assets/{asset_id}/sightings', {
    path: { asset_id: id },
    query,
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
      for (const part of ['report-row', 'sightings', 'day'])
        void client.invalidateQueries({ queryKey: ['asset', id, part] })
    }, DEBOUNCE_MS)
  }
  useMovements({ onMovement: ({ asset }) => asset.id === id && reload(), onReset: reload })
  useEffect(() => () => clearTimeout(timer.current), [])
}
