import { eventReader } from './event-stream.ts'
import type { FeedEvent, Movement } from './movement.ts'

const PATH = '/api/v1/movements/live'
/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 15_000

export type StreamOptions = {
  /** A valid token; `refused` is one that the API rejected. Undefined when there is none. */
  token: (refused?: string) => Promise<string | undefined>
  onEvent: (event: FeedEvent) => void
  signal: AbortSignal
  /** Continues after this event. */
  lastId: string
  /** For tests. */
  connect?: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>
}

const connectToApi = (headers: Record<string, string>, signal: AbortSignal) =>
  fetch(PATH, { headers, signal, cache: 'no-store' })

/** Reconnects when the stream ends: when the token expires, at each gateway release, and when the network returns. */
export async function runStream(options: StreamOptions): Promise<void> {
  const { signal, onEvent } = options
  let { lastId } = options
  let backoffMs = FIRST_BACKOFF_MS
  onEvent({ type: 'status', status: 'connecting' })
  while (!signal.aborted) {
    const connectedAt = Date.now()
    const outcome = await readStream(options, lastId, (id) => {
      lastId = id
    }).catch(() => undefined)
    if (signal.aborted) return
    if (outcome === 'refused') lastId = ''
    backoffMs =
      Date.now() - connectedAt > MAX_BACKOFF_MS ? FIRST_BACKOFF_MS : Math.min(backoffMs * 2, MAX_BACKOFF_MS)
    onEvent({ type: 'status', status: 'interrupted' })
    await sleep(backoffMs * (0.5 + Math.random() / 2), signal)
  }
}

async function readStream(
  { token, onEvent, signal, connect = connectToApi }: StreamOptions,
  lastId: string,
  onId: (id: string) => void,
): Promise<'ended' | 'refused'> {
  const used = await token()
  if (used === undefined) return 'ended'
  const silence = silenceAfter(SILENCE_MS)
  try {
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${used}`,
      ...(lastId !== '' && { 'last-event-id': lastId }),
    }
    const response = await connect(headers, AbortSignal.any([signal, silence.signal]))
    if (response.status === 401) await token(used)
    if (!response.ok || !response.body) return response.status === 400 ? 'refused' : 'ended'
    onEvent({ type: 'status', status: 'live' })
    const read = eventReader((event) => {
      if (event.id !== '') onId(event.id)
      report(event, onEvent)
    })
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      silence.heard()
      read(text)
    }
    return 'ended'
  } finally {
    silence.stop()
  }
}

function report(
  { id, event, data }: { id: string; event: string; data: string },
  onEvent: StreamOptions['onEvent'],
): void {
  if (event === 'asset.moved') onEvent({ type: 'movement', id, movement: JSON.parse(data) as Movement })
  else if (event === 'reset') onEvent({ type: 'reset', id })
  else if (id !== '') onEvent({ type: 'cursor', id })
}

/** Aborts after a silence, and when the device goes offline: its connections rarely survive that. */
function silenceAfter(ms: number) {
  const silence = new AbortController()
  const abort = () => silence.abort()
  let timer = setTimeout(abort, ms)
  addEventListener('offline', abort)
  return {
    signal: silence.signal,
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(abort, ms)
    },
    stop: () => {
      clearTimeout(timer)
      removeEventListener('offline', abort)
    },
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    addEventListener('online', done)
  })
}
