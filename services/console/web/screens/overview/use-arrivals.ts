import { useQuery, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useEffect, useRef, useState } from 'react'
import { useMovements } from '../../live/use-live.ts'
import { api } from '../../session/api.ts'
import { lookUp } from '../../parts/lookups.ts'
import { type Arrival, newestArrivals, SHOWN_ARRIVALS } from './arrivals.ts'

/** Who has just moved was also seen just now: among so many seen last are those that arrived last. */
const SEEN_LAST = 200
/** Movements are rendered in batches: a busy site has hundreds per second. */
const BATCH_MS = 500

/** The last arrivals, from the report, and then as they happen. */
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

const KEY = ['report', 'arrivals']

async function loadArrivals(signal: AbortSignal): Promise<Arrival[]> {
  const query = { sort: '-asset_last_seen', limit: SEEN_LAST }
  const { data } = unwrap(await api.GET('/api/v1/reports/asset-locations', { params: { query }, signal }))
  const rows = data
    .flatMap(({ dwell_started_at: at, location_id: locationId, location_external_key: key, ...row }) =>
      at === null || locationId === null || key === null ? [] : [{ ...row, at, locationId, key }],
    )
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, SHOWN_ARRIVALS)
  if (rows.length === 0) return []
  // The report has keys instead of names.
  const found = await lookUp([...new Set(rows.flatMap((row) => [row.asset_external_key, row.key]))])
  const names = new Map([...found.values()].flat().map(({ id, name }) => [id, name]))
  return rows.map((row) => ({
    at: row.at,
    asset: { id: row.asset_id, name: names.get(row.asset_id) ?? row.asset_external_key },
    location: { id: row.locationId, name: names.get(row.locationId) ?? row.key },
  }))
}
