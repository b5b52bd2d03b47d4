import { accessToken, onSessionChange, sessionState } from '../session/session.ts'
import { isAfter } from './event-id.ts'
import type { Feed } from './feed.ts'
import type { FeedEvent, FeedStatus, Movement } from './movement.ts'
import { ownFeed } from './own-feed.ts'
import { sharedFeed } from './shared-feed.ts'

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
let feed: Feed | undefined
let isOpen = false
/** Between `pagehide` and `pageshow`, when the page may be in the back/forward cache. */
let isAway = false

export const feedStatus = (): FeedStatus => status

/** When the last movement or reset arrived. Data that was loaded before may be old. */
export const lastChangeAt = (): number => changedAt

/** One connection for all pages of the browser, as long as there is a listener. */
export function listen(listener: FeedListener): () => void {
  if (listeners.size === 0) watchPage() // adding the same function again has no effect
  listeners.add(listener)
  if (!isOpen) open()
  return () => {
    listeners.delete(listener)
    // The next screen usually listens again immediately.
    setTimeout(() => {
      if (listeners.size === 0) close()
    }, 1_000)
  }
}

function open(): void {
  if (listeners.size === 0 || isAway) return
  feed ??= newFeed()
  isOpen = true
  feed.open()
}

function close(): void {
  feed?.close()
  isOpen = false
  setStatus('connecting')
}

const options = { token: accessToken, onEvent: receive, lastId: () => lastId }

/** Some browsers on phones have no shared workers, and a release may have removed the script of an old page. */
function newFeed(): Feed {
  const name = feedName()
  if (!('SharedWorker' in globalThis)) return ownFeed(options)
  return sharedFeed(name, options, () => {
    feed = ownFeed(options)
    if (isOpen) feed.open()
  })
}

/** People and organizations never share a worker. */
function feedName(): string {
  const state = sessionState()
  if (!('session' in state)) throw new Error('the live feed needs a session')
  return `live-${state.session.user.id}-${state.session.org.id}`
}

const notify = (call: (listener: FeedListener) => void) => [...listeners].forEach(call)

function setStatus(next: FeedStatus): void {
  if (status === next) return
  status = next
  notify((listener) => listener.onStatus?.(next))
}

function receive(event: FeedEvent): void {
  if (event.type === 'status') return setStatus(event.status)
  // A page that was frozen may get a movement twice: as it was sent, and as missed.
  if (event.type === 'movement' && lastId !== '' && !isAfter(event.id, lastId)) return
  lastId = event.id
  if (event.type === 'cursor') return
  changedAt = Date.now()
  if (event.type === 'reset') notify((listener) => listener.onReset?.())
  else notify((listener) => listener.onMovement?.(event.movement, event.id))
}

function leave(): void {
  isAway = true
  close()
}

function comeBack(): void {
  isAway = false
  open()
}

/** A page that was left may be kept by the browser, with its connections. Back on the screen, it continues. */
function watchPage(): void {
  addEventListener('pagehide', leave)
  addEventListener('pageshow', comeBack)
  document.addEventListener('resume', open) // the page was frozen
  onSessionChange(forgetSession)
}

function forgetSession(): void {
  if (sessionState().status !== 'signed-out') return
  close()
  feed = undefined
  lastId = ''
}
