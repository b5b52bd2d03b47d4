import type { components } from './api.d.ts'
import { unwrap, type Client } from './client.ts'
import { isPassing } from './movements.ts'
import { sleep } from './retry.ts'

export type Event = components['schemas']['Event']

/** Where a program keeps the cursor up to which it has handled events: a file, or a row of its own database. */
export type CursorStore = {
  read(): Promise<string | undefined> | string | undefined
  write(cursor: string): Promise<void> | void
}

export type ConsumeOptions = {
  /** One event after the other. If it throws, `consume` ends with that error and the next one begins with this event, or before it. */
  onEvent(event: Event): Promise<void> | void
  /** Default: in memory, beginning with what happens from now on. */
  store?: CursorStore
  /** Such as `asset.moved`. Default: all. */
  types?: readonly string[]
  /** Where an empty store begins. Default: with the oldest event that is kept. */
  from?: 'oldest' | 'now'
  /** Called after each answer, also after one without events: a sign of life, at least every half minute. */
  onCaughtUp?(cursor: string): Promise<void> | void
  signal?: AbortSignal
  /** For tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const PAGE = 500
/** Less than the timeout of an attempt. */
const WAIT_SECONDS = 25
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000]

type Asked = { after?: string; types?: readonly string[] | undefined; limit?: number; wait?: number }

async function page(api: Client, { after, types, limit = PAGE, wait = 0 }: Asked, signal?: AbortSignal) {
  const query = {
    limit,
    wait,
    ...(after !== undefined && { after }),
    ...(types && { type: [...types] as never[] }),
  }
  return unwrap(await api.GET('/api/v1/events', { params: { query }, ...(signal && { signal }) }))
}

/** The cursor after the newest event. */
export const newestCursor = async (api: Client, signal?: AbortSignal): Promise<string> =>
  (await page(api, { after: 'now', limit: 1 }, signal)).cursor

/**
 * Hands over events until `signal` aborts, and rejects with its reason then, or with what `onEvent` threw. The cursor is
 * stored after each page that was handled: after a crash, events of the last page come again, with the same `id`.
 */
export async function consume(api: Client, options: ConsumeOptions): Promise<never> {
  const { types, store, wait = sleep, from = store ? 'oldest' : 'now' } = options
  const signal = options.signal ?? new AbortController().signal
  let after = (await store?.read()) ?? (from === 'now' ? 'now' : undefined)
  for (let failures = 0; ;) {
    let taken: Awaited<ReturnType<typeof page>>
    try {
      taken = await page(api, { ...(after !== undefined && { after }), types, wait: WAIT_SECONDS }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures), signal)
      failures += 1
      continue
    }
    failures = 0
    for (const event of taken.data) {
      signal.throwIfAborted()
      await options.onEvent(event)
    }
    if (taken.cursor !== after) await store?.write(taken.cursor)
    after = taken.cursor
    if (!taken.has_more) await options.onCaughtUp?.(taken.cursor)
  }
}

/** Keeps the cursor in a file, which is replaced as a whole. */
export function cursorFile(path: string): CursorStore {
  return {
    async read() {
      const { readFile } = await import('node:fs/promises')
      const text = await readFile(path, 'utf8').catch((error: { code?: string }) => {
        if (error.code === 'ENOENT') return ''
        throw error
      })
      return text.trim() === '' ? undefined : text.trim()
    },
    async write(cursor) {
      const { rename, writeFile } = await import('node:fs/promises')
      await writeFile(`${path}.new`, `${cursor}\n`, { flush: true })
      await rename(`${path}.new`, path)
    },
  }
}
