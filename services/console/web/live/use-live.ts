import { type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { feedStatus, lastChangeAt, listen, type FeedListener } from './live-feed.ts'
import type { FeedStatus } from './movement.ts'

/** Calls the listener for each movement while the component is mounted. */
export function useMovements(listener: FeedListener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(
    () =>
      listen({
        onMovement: (movement, id) => latest.current.onMovement?.(movement, id),
        onReset: () => latest.current.onReset?.(),
      }),
    [],
  )
}

const onFeedStatus = (onStatus: () => void) => listen({ onStatus })

export const useFeedStatus = (): FeedStatus => useSyncExternalStore(onFeedStatus, feedStatus)

const DEBOUNCE_MS = 1_000
/** For queries that are expensive to run. */
export const EXPENSIVE_MS = 30_000

/** Reloads queries soon after a movement, at most once every `everyMs`. */
export function useReloadOnMovement(
  queryKeys: readonly (readonly unknown[])[],
  everyMs: number = DEBOUNCE_MS,
): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reloadedAt = useRef(0)
  const reload = () => {
    const waitMs = Math.max(DEBOUNCE_MS, reloadedAt.current + everyMs - Date.now())
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      reloadedAt.current = Date.now()
      for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey })
    }, waitMs)
  }
  useMovements({ onMovement: reload, onReset: reload })
  const keys = useRef(queryKeys)
  useEffect(() => {
    // Something moved while no screen listened: what is kept from then is old.
    const isOld = ({ state }: Query) => state.dataUpdatedAt > 0 && state.dataUpdatedAt < lastChangeAt()
    for (const queryKey of keys.current) void client.invalidateQueries({ queryKey, predicate: isOld })
    return () => clearTimeout(timer.current)
  }, [client])
}
