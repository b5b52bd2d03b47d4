import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useMovements } from '../../../live/use-live.ts'
import { api } from '../../../session/api.ts'
import { type Arrival, newestArrivals } from './arrivals.ts'

/** Movements. An asset may have several of them. */
const NEWEST = 50
/** Movements are rendered in batches: a busy site has hundreds per second. */
const BATCH_MS = 500

/** The last arrivals, from the movements, and then as they happen. */
export function useArrivals() {
  const [live, setLive] = useState<readonly Arrival[]>([])
  const waiting = useRef<Arrival[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const client = useQueryClient()
  useMovements({
    onMovement: ({ occurred_at, asset, to_location }) => {
      waiting.current.push({ at: occurred_at, asset, location: to_location })
      timer.current ??= setTimeout(() => {
        const arrived = waiting.current
        waiting.current = []
        timer.current = undefined
        setLive((before) => newestArrivals([...before, ...arrived]))
      }, BATCH_MS)
    },
    onReset: () => void client.invalidateQueries({ queryKey: KEY }),
  })
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  const earlier = useQuery({ queryKey: KEY, queryFn: ({ signal }) => loadArrivals(signal) })
  return { ...earlier, data: earlier.data && newestArrivals([...earlier.data, ...live]) }
}

const KEY = ['movements', 'arrivals']

/** Deleted things have no name, and nobody looks for them here. */
async function loadArrivals(signal: AbortSignal): Promise<Arrival[]> {
  const query = { limit: NEWEST }
  const data = await api.get('/api/v1/movements', { query, signal })
  return newestArrivals(
    data.flatMap(({ occurred_at: at, asset, to_location: to }) =>
      asset.name === null || to.name === null
        ? []
        : [{ at, asset: { id: asset.id, name: asset.name }, location: { id: to.id, name: to.name } }],
    ),
  )
}
