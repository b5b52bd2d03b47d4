import { unwrap, type Client } from './client.ts'
import { ApiError } from './errors.ts'
import { Follower, type Bounds, type Movement, type MovementPage } from './follow.ts'
import { sleep } from './retry.ts'

/** Which movements. A location matches either end. */
export type MovementFilter = {
  assetIds?: readonly number[]
  locationIds?: readonly number[]
  /** Also the sub-locations of `locationIds`. */
  includeDescendants?: boolean
  types?: readonly ('asset' | 'person' | 'inventory')[]
}
/** Both instants are included. */
export type MovementsRequest = MovementFilter & { from?: string; to?: string; signal?: AbortSignal }

export type FollowOptions = MovementFilter & {
  /** The instant of the first movement. Default: what moves from now on. */
  from?: string
  /** Between two questions, each of which counts against the rate of the key. Default 5 000. */
  intervalMs?: number
  /** How late a movement may come, compared with the newest one. Default 600 000. */
  overlapMs?: number
  signal?: AbortSignal
  /** For tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** For tests. In milliseconds since 1970. */
  now?: () => number
}

const PAGE = 500
const LONGEST_WAIT_MS = 60_000

async function page(api: Client, filter: MovementFilter, bounds: Bounds, signal: AbortSignal | undefined) {
  const { assetIds, locationIds, includeDescendants, types } = filter
  const query = {
    ...bounds,
    limit: PAGE,
    ...(assetIds && { asset_id: [...assetIds] }),
    ...(locationIds && { location_id: [...locationIds] }),
    ...(includeDescendants && { include_descendants: true }),
    ...(types && { type: [...types] }),
  }
  return unwrap(await api.GET('/api/v1/movements', { params: { query }, ...(signal && { signal }) }))
}

/** Those of all pages, newest first. */
export async function* movements(
  api: Client,
  { from, to, signal, ...filter }: MovementsRequest = {},
): AsyncGenerator<Movement> {
  const bounds = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  for (let after: string | undefined; ;) {
    const { data, cursor } = await page(api, filter, { ...bounds, ...(after !== undefined && { after }) }, signal)
    yield* data
    if (cursor === null) return
    after = cursor
  }
} // oxfmt-ignore

/** `known`: what was there before, in the first one. */
export type Round = { moved: Movement[]; withdrawn: Movement[]; known: Movement[] }

/** What is new, or nothing, after each question, without end. */
export async function* rounds(api: Client, options: FollowOptions = {}): AsyncGenerator<Round> {
  const { from, intervalMs = 5_000, overlapMs = 600_000, wait = sleep, now = Date.now, ...filter } = options
  const signal = options.signal ?? new AbortController().signal
  const follower = new Follower(from, overlapMs, now())
  for (let failures = 0; ;) {
    let taken: MovementPage
    try {
      taken = await page(api, filter, follower.next, signal)
    } catch (error) {
      if (!isPassing(error)) throw error
      follower.restart()
      await wait(Math.min(LONGEST_WAIT_MS, intervalMs * 2 ** failures), signal)
      failures += 1
      continue
    }
    failures = 0
    const moved = follower.take(taken, now())
    if (moved.length > 0 || follower.isIdle)
      yield { moved, withdrawn: follower.withdrawn, known: follower.known }
    if (follower.isIdle) await wait(intervalMs, signal)
  }
}

/** Whether the same request may succeed later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === undefined || error.status < 300 || error.status === 429 || error.status >= 500)

export async function* follow(api: Client, options: FollowOptions = {}): AsyncGenerator<Movement> {
  for await (const { moved } of rounds(api, options)) yield* moved
}
