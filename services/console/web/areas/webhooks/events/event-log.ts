import { ApiError, type components } from '@whereabouts/client/client'

export type FeedEvent = components['schemas']['Event']
export type Entry = { kind: 'event'; event: FeedEvent } | { kind: 'gap'; at: string; id: string }

/** `since`: when it began. `error`: of the last request, until one succeeds. Newest first. */
export type EventLog = { since: string | null; entries: readonly Entry[]; error: unknown }
export const NOTHING: EventLog = { since: null, entries: [], error: undefined }

/** Entries that the screen keeps. */
export const KEPT = 200
/** Between two requests, so that a busy organization costs a page a second. */
const PAUSE_MS = 1_000
const RETRY_MS = 5_000
/** Full pages in a row, after which it goes on with what happens now: the screen keeps less than one page. */
const MOST_BEHIND = 10

type Page = components['schemas']['EventPage']
type Options = {
  /** One page after a cursor, or `now`. */
  read: (after: string, signal: AbortSignal) => Promise<Page>
  onChange: (change: (log: EventLog) => EventLog) => void
}

/** Follows the feed from when it was made. Stopped and started again, it goes on where it was. */
export function eventFollower({ read, onChange }: Options) {
  let after = 'now'
  let behind = 0
  let gaps = 0

  async function next(signal: AbortSignal): Promise<void> {
    const page = await read(after, signal)
    signal.throwIfAborted()
    after = page.cursor
    onChange((log) => withPage(log, page.data))
    behind = page.has_more ? behind + 1 : 0
    if (behind >= MOST_BEHIND) skip()
  }

  function skip(): void {
    after = 'now'
    behind = 0
    gaps += 1
    const gap: Entry = { kind: 'gap', at: new Date().toISOString(), id: `gap ${gaps}` }
    onChange((log) => ({ ...log, entries: [gap, ...log.entries].slice(0, KEPT) }))
  }

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await next(signal)
        await pause(PAUSE_MS, signal)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ApiError && error.error?.type === 'gone') skip()
        else onChange((log) => ({ ...log, error }))
        await pause(RETRY_MS, signal)
      }
    }
  }
}

const withPage = (log: EventLog, events: readonly FeedEvent[]): EventLog => ({
  since: log.since ?? new Date().toISOString(),
  error: undefined,
  entries:
    events.length === 0
      ? log.entries
      : [...events.map((event): Entry => ({ kind: 'event', event })).toReversed(), ...log.entries].slice(
          0,
          KEPT,
        ),
})

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
