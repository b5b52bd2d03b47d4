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
  /** Movements may have been missed: load anew. */
  onReset?: () => void
  onStatus?: (status: FeedStatus) => void
}

const PATH = '/api/v1/movements/live'
/** A sign of life comes every 15 s. */
const SILENCE_MS = 40_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

const listeners = new Set<FeedListener>()
let status: FeedStatus = 'connecting'
let running: AbortController | undefined

export const feedStatus = (): FeedStatus => status

/** One connection for the whole page, for as long as somebody listens. */
export function listen(listener: FeedListener): () => void {
  listeners.add(listener)
  if (!running) {
    running = new AbortController()
    void run(running.signal)
  }
  return () => {
    listeners.delete(listener)
    // Whoever moves from one screen to the next listens again at once.
    setTimeout(() => {
      if (listeners.size > 0) return
      running?.abort()
      running = undefined
    }, 1_000)
  }
}

const each = (tell: (listener: FeedListener) => void) => [...listeners].forEach(tell)

function become(next: FeedStatus): void {
  if (status === next) return
  status = next
  each((listener) => listener.onStatus?.(next))
}

/** Connects again whenever the stream ends: it does with the token, and with every release of the gateway. */
async function run(signal: AbortSignal): Promise<void> {
  let lastEventId = ''
  let pauseMs = FIRST_PAUSE_MS
  become('connecting')
  while (!signal.aborted) {
    const connectedAt = Date.now()
    const outcome = await stream(signal, lastEventId, (id) => {
      lastEventId = id
    }).catch(() => undefined)
    if (signal.aborted) return
    if (outcome === 'refused') lastEventId = ''
    pauseMs = Date.now() - connectedAt > MAX_PAUSE_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, MAX_PAUSE_MS)
    become('interrupted')
    await pause(pauseMs * (0.5 + Math.random() / 2), signal)
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
    const answer = await fetch(PATH, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (answer.status === 401) await accessToken(token)
    if (!answer.ok || !answer.body) return answer.status === 400 ? 'refused' : 'ended'
    become('live')
    const read = eventReader(({ id, event, data }) => {
      if (id !== '') onId(id)
      if (event === 'reset') each((listener) => listener.onReset?.())
      if (event === 'asset.moved') {
        const movement = JSON.parse(data) as Movement
        each((listener) => listener.onMovement?.(movement))
      }
    })
    for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      read(text)
    }
    return 'ended'
  } finally {
    clearTimeout(timer)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    addEventListener('online', () => resolve(), { once: true })
  })
}
