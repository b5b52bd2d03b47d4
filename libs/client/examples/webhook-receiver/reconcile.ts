import { setTimeout as delay } from 'node:timers/promises'
import { unwrap, type Client } from '../../src/client.ts'
import type { Places, Sighting } from './places.ts'

const PAGE = 200
const ATTEMPTS = 5
const MAX_WAIT_MS = 30_000
/** Between two passes, however many stale events ask for one. */
const MIN_PAUSE_MS = 5_000

type Page = Awaited<ReturnType<typeof askPage>>['data']

/**
 * Compares what is known with the report and takes over what differs; resolves with how many assets did. Deleted assets
 * are asked for as well: that a row is missing may only mean that the pages moved while they were read.
 */
export async function reconcile(client: Client, places: Places, signal: AbortSignal): Promise<number> {
  let changed = 0
  for (let offset = 0; ; offset += PAGE) {
    const { data: rows, total_count: total } = await patiently(signal, () => askPage(client, offset))
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

/** By the key, which never changes its place while assets move. */
async function askPage(client: Client, offset: number) {
  const query = { limit: PAGE, offset, sort: 'asset_external_key', include_deleted: true }
  const answer = await client.GET('/api/v1/reports/asset-locations', { params: { query } })
  const { status, headers } = answer.response
  if (status === 429 || status >= 500) throw new TryLater(status, headers.get('retry-after'))
  return unwrap(answer)
}

/** As the API asks for: after `Retry-After`, otherwise 1 s, doubling to 30 s, with jitter. Another 4xx is final. */
async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const isWorthIt = error instanceof TryLater || error instanceof TypeError || isTimeout(error)
    if (!isWorthIt || attempt === ATTEMPTS) throw error
    const asked = error instanceof TryLater ? error.waitMs : undefined
    const backoff = Math.min(MAX_WAIT_MS, 2 ** (attempt - 1) * 1_000) * (0.5 + Math.random() / 2)
    await delay(asked ?? backoff, undefined, { signal })
    return patiently(signal, ask, attempt + 1)
  }
}

/** Fetch fails with a TypeError when there is no answer, and with this one when there is none in time. */
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

/** Runs a pass at once, every so many seconds, and `soon` when somebody has a reason. A failed pass waits for the next. */
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

/** Ends early, without an error, when it is time to stop. */
const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined)
