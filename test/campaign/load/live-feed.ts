import { openEvents, type EventStream } from '@whereabouts/testing/event-stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { LiveView } from '../ledger/live-feed.ts'

/** A browser that watches the movements of an organization. It reconnects with the id of the last event. */
export type LiveFeed = {
  /** What it has seen so far, over all connections. */
  view(): LiveView
  stop(): void
}

const RETRY_MS = 300
/** A connection that carries nothing for this long is dead: the service sends a comment every 15 s. */
const SILENT_MS = 40_000
const OPEN_MS = 60_000
const LOOK_EVERY_MS = 1_000

/** Resolves when the feed is open, or rejects if it does not open, so that it misses nothing from then on. */
export async function watchMovements(base: string, token: string): Promise<LiveFeed> {
  const earlier: LiveView = { deliveryIds: [], resets: 0 }
  const opened = Promise.withResolvers<void>()
  let [isStopped, lastId] = [false, '']
  let stream: EventStream | undefined

  async function connectOnce(): Promise<void> {
    const headers = {
      authorization: `Bearer ${token}`,
      'user-agent': 'campaign/1',
      ...(lastId !== '' && { 'last-event-id': lastId }),
    }
    stream = await openEvents(`${base}/api/v1/movements/live`, headers)
    if (stream.status === 200) await untilEnded(stream)
    else stream.close()
    lastId = stream.lastId() || lastId
    const seen = viewOf(stream)
    earlier.deliveryIds.push(...seen.deliveryIds)
    earlier.resets += seen.resets
    stream = undefined
  }

  /** Also closes a connection that has died without an end. */
  async function untilEnded(open: EventStream): Promise<void> {
    let [mark, heardAt, ended] = ['', performance.now(), false]
    const end = open.ended.then(() => (ended = true))
    while (!ended && !isStopped && performance.now() - heardAt < SILENT_MS) {
      if (open.lastId() !== '') opened.resolve()
      const now = `${open.lastId()} ${open.events.length}`
      if (now !== mark) [mark, heardAt] = [now, performance.now()]
      await Promise.race([end, wait(LOOK_EVERY_MS)])
    }
    open.close()
  }

  const watch = async () => {
    while (!isStopped) {
      await connectOnce().catch(() => undefined) // refused or broken: it tries again
      await wait(RETRY_MS)
    }
  }
  void watch()
  const timer = setTimeout(
    () => opened.reject(new Error(`a live feed did not open in ${OPEN_MS / 1000} s`)),
    OPEN_MS,
  )
  await opened.promise
    .finally(() => clearTimeout(timer))
    .catch((error: unknown) => {
      isStopped = true
      stream?.close()
      throw error
    })
  return {
    view() {
      const now = stream ? viewOf(stream) : { deliveryIds: [], resets: 0 }
      return {
        deliveryIds: [...earlier.deliveryIds, ...now.deliveryIds],
        resets: earlier.resets + now.resets,
      }
    },
    stop() {
      isStopped = true
      stream?.close()
    },
  }
}

const viewOf = ({ events }: EventStream): LiveView => ({
  deliveryIds: events
    .filter(({ event }) => event === 'asset.moved')
    .map(({ data }) => (JSON.parse(data) as { delivery_id: string }).delivery_id),
  resets: events.filter(({ event }) => event === 'reset').length,
})
