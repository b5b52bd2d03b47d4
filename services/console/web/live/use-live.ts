import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { feedStatus, listen, type FeedListener, type FeedStatus } from './live-feed.ts'

/** Calls back for movements while the component is shown. */
export function useMovements(listener: FeedListener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(
    () =>
      listen({
        onMovement: (movement) => latest.current.onMovement?.(movement),
        onReset: () => latest.current.onReset?.(),
      }),
    [],
  )
}

export const useFeedStatus = (): FeedStatus =>
  useSyncExternalStore((onStatus) => listen({ onStatus }), feedStatus)

const TOGETHER_MS = 1_000
/** For what is costly to count anew. */
export const SELDOM_MS = 30_000

/** Loads queries again soon after something moved, at most once in `everyMs` however much moves. */
export function useReloadOnMovement(
  queryKeys: readonly (readonly unknown[])[],
  everyMs: number = TOGETHER_MS,
): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reloadedAt = useRef(0)
  const reload = () => {
    const waitMs = Math.max(TOGETHER_MS, reloadedAt.current + everyMs - Date.now())
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      reloadedAt.current = Date.now()
      for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey })
    }, waitMs)
  }
  useMovements({ onMovement: reload, onReset: reload })
  useEffect(() => () => clearTimeout(timer.current), [])
}
