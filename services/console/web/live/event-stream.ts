import { createParser } from 'eventsource-parser'

/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 15_000
/** An id of no stream. The server answers it with `reset`, because it cannot tell what was missed. */
export const UNKNOWN_ID = '0-0'

export type StreamOptions = {
  path: string
  /** A valid token; `refused` is one that the API rejected. Undefined when there is none. */
  token: (refused?: string) => Promise<string | undefined>
  /** The stream continues after this event. Empty: it starts now. */
  lastId: () => string
  /** Everything up to this event is known. Called before `onEvent` for the same event. */
  onId: (id: string) => void
  /** `data` as parsed from JSON. */
  onEvent: (event: string, data: unknown, id: string) => void
  onStatus: (status: 'live' | 'interrupted') => void
  signal: AbortSignal
}

/** Reconnects when the stream ends: when the token expires, and at each gateway release. */
export async function runStream(options: StreamOptions): Promise<void> {
  const { signal, onStatus } = options
  let backoffMs = FIRST_BACKOFF_MS
  while (!signal.aborted) {
    const connectedAt = Date.now()
    await readStream(options).catch(() => undefined)
    if (signal.aborted) return
    onStatus('interrupted')
    const wasLong = Date.now() - connectedAt > MAX_BACKOFF_MS
    backoffMs = wasLong ? FIRST_BACKOFF_MS : Math.min(backoffMs * 2, MAX_BACKOFF_MS)
    const waitMs = backoffMs * (0.5 + Math.random() / 2)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

async function readStream(options: StreamOptions): Promise<void> {
  const { path, token, lastId, onId, onEvent, onStatus, signal } = options
  const used = await token()
  if (used === undefined) return
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const response = await fetch(path, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${used}`,
        ...(lastId() !== '' && { 'last-event-id': lastId() }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
      cache: 'no-store',
    })
    signal.throwIfAborted()
    if (response.status === 401) await token(used)
    if (response.status === 400) onId(UNKNOWN_ID) // an id of another release
    if (!response.ok || !response.body) return
    onStatus('live')
    const parser = createParser({
      onId,
      onEvent: ({ id = '', event, data }) => event !== undefined && onEvent(event, JSON.parse(data), id),
    })
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      if (signal.aborted) return // the next stream continues before this text
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      parser.feed(text)
    }
  } finally {
    clearTimeout(timer)
  }
}
