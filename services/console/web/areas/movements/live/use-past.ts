import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useFeedStatus } from '../../../live/use-live.ts'
import { api } from '../../../session/api.ts'

type Answer = Awaited<ReturnType<typeof load>>

const load = (signal: AbortSignal) => api.get('/api/v1/movements/recent', { signal })

/**
 * What moved in the last minutes: loaded whenever the live feed begins or continues, after that, so that nothing is
 * missed in between. `onLoad` is called when loading begins. Undefined `past`: it is not known (yet).
 */
export function usePast(onLoad: () => void): {
  past: Answer | undefined
  isUnknown: boolean
  reload: () => void
  /** When the feed was live for the last time. */
  liveUntil: () => number
} {
  const status = useFeedStatus()
  const [loads, setLoads] = useState(0)
  const lastLive = useRef<number | undefined>(undefined)
  const start = useRef(onLoad)
  const reload = () => {
    start.current()
    setLoads((count) => count + 1)
  }
  const startLoading = useRef(reload)
  useEffect(() => {
    if (status !== 'live') return undefined
    startLoading.current()
    lastLive.current = undefined
    return () => {
      lastLive.current = Date.now()
    }
  }, [status])
  const { data: past, isError: isUnknown } = useQuery({
    queryKey: ['recent-movements', loads],
    queryFn: ({ signal }) => load(signal),
    enabled: loads > 0,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  return { past, isUnknown, reload, liveUntil: () => lastLive.current ?? Date.now() }
}
