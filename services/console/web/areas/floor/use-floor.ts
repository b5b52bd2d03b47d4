import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useMovements } from '../../live/use-live.ts'
import type { Movement } from '../../live/movement.ts'
import { combined, type LoadedQuery } from '../../parts/load/combined-query.ts'
import { api } from '../../session/api.ts'
import { floorStateOf, type FloorState, totalsAfter } from './floor-state.ts'
import { placesAfter, type Totals } from './places.ts'
import { type FloorPlanData, usePlans } from './use-plans.ts'

const REFRESH_MS = 60_000

export type Floor = Omit<FloorState, 'totals'> & {
  /** What somebody arranged, by the id of the location, or `all`. */
  plans: ReadonlyMap<string, FloorPlanData>
  /** Numbers of now. Undefined while the past is played back: then each room has what `places` says. */
  totals: Totals | undefined
}

/** Everything on the floor, followed live. */
export function useFloor(): LoadedQuery<Floor> {
  const columns = useColumns()
  const plans = usePlans()
  const loaded = combined({ columns, plans })
  const moves = useMoves(columns.data?.askedAt)
  const read = columns.data?.floor
  const state = useMemo(() => read && floorStateOf(read), [read])
  const data = useMemo(
    () =>
      state &&
      plans.data && {
        ...state,
        plans: plans.data,
        places: placesAfter(state.places, moves),
        totals: totalsAfter(state, moves),
      },
    [state, plans.data, moves],
  )
  return { ...loaded, data }
}

/** One answer has all. The tree of rooms, which points back and forth, is made from it and never in the cache. */
const useColumns = () =>
  useQuery({
    queryKey: ['locations', 'floor'],
    refetchInterval: REFRESH_MS,
    staleTime: 0, // a change on another screen shows when this one opens
    queryFn: async ({ signal }) => {
      const askedAt = Date.now()
      return { askedAt, floor: await api.get('/api/v1/floor', { signal }) }
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
    onReset: () => void client.invalidateQueries({ queryKey: ['locations', 'floor'] }),
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
