import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useMovements } from '../live/use-live.ts'
import type { Movement } from '../live/movement.ts'
import { allPages } from '../parts/all-pages.ts'
import { combined, type LoadedQuery } from '../parts/combined-query.ts'
import { api } from '../session/api.ts'
import { placesAfter, type Places } from './places.ts'
import { buildingOf, type Building } from './rooms.ts'
import { type FloorPlanData, usePlans } from './use-plans.ts'

/** Of more, the picture shows these: the first by key, and the last seen. */
const MOST_LOCATIONS = 2_000
const MOST_ASSETS = 5_000

const REFRESH_MS = 60_000

type FloorAsset = { id: number; name: string; external_key: string; type: string }
/** Since when it is where it is, and when it was seen there last. Both are older than a movement that has just arrived. */
type Stay = { since: string | null; seen: string }

export type Floor = {
  building: Building
  assets: ReadonlyMap<number, FloorAsset>
  places: Places
  stays: ReadonlyMap<number, Stay>
  /** What somebody arranged, by the id of the location, or `all`. */
  plans: ReadonlyMap<string, FloorPlanData>
  /** When the positions were asked for, in milliseconds of this device. */
  askedAt: number
  /** Whether there are more than the picture shows. */
  isCut: boolean
}

/** Everything on the floor, followed live. */
export function useFloor(): LoadedQuery<Floor> {
  const locations = useLocations()
  const assets = useAssets()
  const positions = usePositions()
  const plans = usePlans()
  const moves = useMoves(positions.data?.askedAt)
  const rows = locations.data?.rows
  const building = useMemo(() => rows && buildingOf(rows), [rows])
  const loaded = combined({ locations, assets, positions, plans })
  const data = useMemo(() => {
    if (!building || !locations.data || !assets.data || !positions.data || !plans.data) return undefined
    return {
      building,
      assets: assets.data.byId,
      places: placesAfter(positions.data.places, moves),
      stays: positions.data.stays,
      plans: plans.data,
      askedAt: positions.data.askedAt,
      isCut: locations.data.isCut || assets.data.isCut || positions.data.isCut,
    }
  }, [building, locations.data, assets.data, positions.data, plans.data, moves])
  return { ...loaded, data }
}

const useLocations = () =>
  useQuery({
    queryKey: ['locations', 'floor'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const { rows, total } = await allPages(async (page) => {
        const query = { ...page, sort: 'external_key' }
        return unwrap(await api.GET('/api/v1/locations', { params: { query }, signal }))
      }, MOST_LOCATIONS)
      return { rows, isCut: total > rows.length }
    },
  })

const useAssets = () =>
  useQuery({
    queryKey: ['assets', 'floor'],
    queryFn: async ({ signal }) => {
      const { rows, total } = await allPages(async (page) => {
        const query = { ...page, sort: 'external_key', window: 'any' as const }
        return unwrap(await api.GET('/api/v1/assets', { params: { query }, signal }))
      }, MOST_ASSETS)
      const byId = new Map(
        rows.map(({ id, name, external_key, type }) => [id, { id, name, external_key, type }]),
      )
      return { byId, isCut: total > rows.length }
    },
  })

const usePositions = () =>
  useQuery({
    queryKey: ['report', 'floor'],
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const askedAt = Date.now()
      const { rows, total } = await allPages(
        async (query) =>
          unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query }, signal })),
        MOST_ASSETS,
      )
      const places = new Map<number, number>()
      for (const { asset_id, location_id } of rows)
        if (location_id !== null) places.set(asset_id, location_id)
      const stays = new Map(
        rows.map((row): [number, Stay] => [
          row.asset_id,
          { since: row.dwell_started_at, seen: row.asset_last_seen },
        ]),
      )
      return { askedAt, places, stays, isCut: total > rows.length }
    },
  })

/** Many movements at once draw the picture once. */
const BATCH_MS = 200

type Arrived = Movement & { at: number }

/** Movements that the positions may not contain: those that arrived since they were asked for. */
function useMoves(askedAt = 0): readonly Movement[] {
  const [moves, setMoves] = useState<readonly Arrived[]>([])
  const waiting = useRef<Arrived[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const client = useQueryClient()
  useMovements({
    onReset: () => void client.invalidateQueries({ queryKey: ['report', 'floor'] }),
    onMovement(movement) {
      waiting.current.push({ ...movement, at: Date.now() })
      timer.current ??= setTimeout(() => {
        const arrived = waiting.current
        waiting.current = []
        timer.current = undefined
        setMoves((before) => [...before.filter(({ at }) => at >= askedAt), ...arrived])
      }, BATCH_MS)
    },
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return useMemo(() => moves.filter(({ at }) => at >= askedAt), [moves, askedAt])
}
