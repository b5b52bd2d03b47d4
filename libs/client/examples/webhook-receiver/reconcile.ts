import { setTimeout as delay } from 'node:timers/promises'
import { unwrap, type Client } from '../../src/client.ts'
import type { Places, Sighting } from './places.ts'

const PAGE = 200
const ATTEMPTS = 5
const MAX_WAIT_MS = 30_000
/** Shortest pause between two passes, even if many stale events ask for one. */
const MIN_PAUSE_MS = 5_000

type Page = Awaited<ReturnType<typeof askPage>>['data']

/**
 * Compares the stored positions with the report and applies the differences. Resolves with the number of changed
 * assets. The report includes deleted assets, because a missing row may only mean that rows moved between pages while
 * they were read.
 */
export async function reconcile(client: Client, places: Places, signal: AbortSignal): Promise<number> {
  let changed = 0
  for (let offset = 0; ; offset += PAGE) {
    const { data: rows, total_count: total } = await withRetries(signal, () => askPage(client, offset))
    for (const row of rows) if (places.correct(sightingOf(row))) changed += 1
    if (offset + PAGE >= total) return changed
  }
}

class TryLater extends Error {
  readonly waitMs: number | undefined
  constructor(status: number, retryAfter: string | null) {
    super(`the API answered ${status}`)
    this.waitMs = retryAfter === null ? undefined : Number(retryAfter) * 1000
  }
}

/** Sorted by key, because that order does not change while assets move. */
async function askPage(client: Client, offset: number) {
  const query = { limit: PAGE, offset, sort: 'asset_external_key', include_deleted: true }
  const answer = await client.GET('/api/v1/reports/asset-locations', { params: { query } })
  const { status, headers } = answer.response
  if (status === 429 || status >= 500) throw new TryLater(status, headers.get('retry-after'))
  return unwrap(answer)
}

/**
 * Retries as the API requires: after `Retry-After`, otherwise after 1 s, doubling up to 30 s, with jitter. Other 4xx
 * are final.
 */
async function withRetries<T>(signal: AbortSignal, ask: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const isTemporary = error instanceof TryLater || error instanceof TypeError || isTimeout(error)
    if (!isTemporary || attempt === ATTEMPTS) throw error
    const asked = error instanceof TryLater ? error.waitMs : undefined
    const backoff = Math.min(MAX_WAIT_MS, 2 ** (attempt - 1) * 1_000) * (0.5 + Math.random() / 2)
    await delay(asked ?? backoff, undefined, { signal })
    return withRetries(signal, ask, attempt + 1)
  }
}

/** Fetch fails with a TypeError without an answer, and with this error if there is no answer in time. */
const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError'

const sightingOf = (row: Page[number]): Sighting => ({
  assetId: row.asset_id,
  assetKey: row.asset_external_key,
  locationId: row.location_id,
  location: row.location_external_key,
  asOf: row.asset_last_seen,
  deleted: row.asset_deleted_at !== null,
})

type Pass = (places: Places, signal: AbortSignal) => Promise<number>

/**
 * Runs a pass at once, then every `everySeconds`, and soon after a call of `soon`. A failed pass is not retried
 * early.
 */
export function repeat(everySeconds: number, pass: Pass, say: (what: string, fields?: object) => void) {
  const stopping = new AbortController()
  const { signal } = stopping
  let wake = Promise.withResolvers<void>()
  let running = Promise.resolve()
  const once = async (places: Places) => {
    wake = Promise.withResolvers()
    try {
      const corrected = await pass(places, signal)
      say('reconciled', { corrected, assets: places.count() })
    } catch (error) {
      if (!signal.aborted) say('not reconciled', { error: String(error) })
    }
  }
  const loop = async (places: Places) => {
    while (!signal.aborted) {
      await once(places)
      await pause(MIN_PAUSE_MS, signal)
      await Promise.race([pause(everySeconds * 1000 - MIN_PAUSE_MS, signal), wake.promise])
    }
  }
  return {
    start: (places: Places) => void (running = loop(places)),
    soon: () => wake.resolve(),
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Ends early and without an error if `signal` aborts. */
const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined)
