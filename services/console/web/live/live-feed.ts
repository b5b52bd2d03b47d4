import { accessToken } from '../session/session.ts'
import { eventReader } from './event-stream.ts'

/** `data` of an event `asset.moved`. */
export type Movement = {
  delivery_id: string
  occurred_at: string
  asset: { id: number; external_key: string; name: string }
  from_location: { id: number; name: string } | null
  to_location: { id: number; name: string }
}

export type FeedStatus = 'connecting' | 'live' | 'interrupted'

export type FeedListener = {
  onMovement?: (movement: Movement) => void
  /** Movements may have been missed: reload. */
  onReset?: () => void
  onStatus?: (status: FeedStatus) => void
}

const PATH = '/api/v1/movements/live'
/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 15_000

const listeners = new Set<FeedListener>()
let status: FeedStatus = 'connecting'
let running: AbortController | undefined

export const feedStatus = (): FeedStatus => status

/** One connection for the whole page, as long as there is a listener. */
export function listen(listener: FeedListener): () => void {
  listeners.add(listener)
  if (!running) {
    running = new AbortController()
    void run(running.signal)
  }
  return () => {
    listeners.delete(listener)
    // The next screen usually listens again immediately.
    setTimeout(() => {
      if (listeners.size > 0) return
      running?.abort()
      running = undefined
    }, 1_000)
  }
}

const notify = (call: (listener: FeedListener) => void) => [...listeners].forEach(call)

function setStatus(next: FeedStatus): void {
  if (status === next) return
  status = next
  notify((listener) => listener.onStatus?.(next))
}

/** Reconnects when the stream ends: when the token expires, and at each gateway release. */
async function run(signal: AbortSignal): Promise<void> {
  let lastEventId = ''
  let backoffMs = FIRST_BACKOFF_MS
  setStatus('connecting')
  while (!signal.aborted) {
    const connectedAt = Date.now()
    const outcome = await stream(signal, lastEventId, (id) => {
      lastEventId = id
    }).catch(() => undefined)
    if (signal.aborted) return
    if (outcome === 'refused') lastEventId = ''
    backoffMs =
      Date.now() - connectedAt > MAX_BACKOFF_MS ? FIRST_BACKOFF_MS : Math.min(backoffMs * 2, MAX_BACKOFF_MS)
    setStatus('interrupted')
    await sleep(backoffMs * (0.5 + Math.random() / 2), signal)
  }
}

async function stream(
  signal: AbortSignal,
  lastEventId: string,
  onId: (id: string) => void,
): Promise<'ended' | 'refused'> {
  const token = await accessToken()
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const response = await fetch(PATH, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (response.status === 401) await accessToken(token)
    if (!response.ok || !response.body) return response.status === 400 ? 'refused' : 'ended'
    setStatus('live')
    const read = eventReader(({ id, event, data }) => {
      if (id !== '') onId(id)
      if (event === 'reset') notify((listener) => listener.onReset?.())
      if (event === 'asset.moved') {
        const movement = JSON.parse(data) as Movement
        notify((listener) => listener.onMovement?.(movement))
      }
    })
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      read(text)
    }
    return 'ended'
  } finally {
    clearTimeout(timer)
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    addEventListener('online', () => resolve(), { once: true })
  })
}
