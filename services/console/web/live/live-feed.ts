import { accessToken } from '../session/session.ts'
import { runStream, UNKNOWN_ID } from './event-stream.ts'
import type { FeedStatus, Movement } from './movement.ts'

export type FeedListener = {
  /** `id` is that of the event. */
  onMovement?: (movement: Movement, id: string) => void
  /** Movements may have been missed: reload. */
  onReset?: () => void
  onStatus?: (status: FeedStatus) => void
}

const listeners = new Set<FeedListener>()
let status: FeedStatus = 'connecting'
let lastId = ''
let changedAt = 0
let running: AbortController | undefined

export const feedStatus = (): FeedStatus => status

/** When the last movement or reset arrived. Data that was loaded before may be old. */
export const lastChangeAt = (): number => changedAt

/** One stream for all listeners, while the page is visible. Shown again, it continues after the last event. */
export function listen(listener: FeedListener): () => void {
  if (listeners.size === 0) watchPage() // adding the same function again has no effect
  listeners.add(listener)
  follow()
  return () => {
    listeners.delete(listener)
    setTimeout(follow, 1_000) // the next screen usually listens again immediately
  }
}

/**
 * A browser opens at most six connections to a host over plain HTTP, also for hidden tabs and for pages in the
 * back/forward cache. With a stream in each of them, the sixth tab never loads.
 */
function follow(): void {
  const isWanted = listeners.size > 0 && document.visibilityState === 'visible'
  if (isWanted && !running) start()
  if (!isWanted) stop()
}

function start(): void {
  running = new AbortController()
  void runStream({
    path: '/api/v1/movements/live',
    token: accessToken,
    lastId: () => lastId,
    onId: (id) => {
      lastId = id
    },
    onEvent: (event, data, id) => {
      if (event === 'asset.moved') change((listener) => listener.onMovement?.(data as Movement, id))
      else if (event === 'reset') change((listener) => listener.onReset?.())
    },
    onStatus: setStatus,
    signal: running.signal,
  })
}

function stop(): void {
  running?.abort()
  running = undefined
  lastId ||= UNKNOWN_ID // lists of a page that is not live yet may become old before it is shown
  setStatus('connecting')
}

const notify = (call: (listener: FeedListener) => void) => [...listeners].forEach(call)

function setStatus(next: FeedStatus): void {
  if (status === next) return
  status = next
  notify((listener) => listener.onStatus?.(next))
}

function change(call: (listener: FeedListener) => void): void {
  changedAt = Date.now()
  notify(call)
}

/** Connections rarely survive a change of the network, and the next attempt may be 15 s away. */
function reconnect(): void {
  stop()
  follow()
}

function watchPage(): void {
  document.addEventListener('visibilitychange', follow)
  addEventListener('online', reconnect)
  addEventListener('offline', reconnect)
}
