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

/** Loads queries again when something moved, at most once a second however much moves. */
export function useReloadOnMovement(...queryKeys: readonly (readonly unknown[])[]): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reload = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey })
    }, TOGETHER_MS)
  }
  useMovements({ onMovement: reload, onReset: reload })
  useEffect(() => () => clearTimeout(timer.current), [])
}
