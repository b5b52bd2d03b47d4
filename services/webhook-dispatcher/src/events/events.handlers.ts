import { Readable } from 'node:stream'
import { EVENT_STREAM_MEDIA_TYPE } from '@whereabouts/contracts/route'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { namesType } from '@whereabouts/service-kit/http/headers/accept'
import { UNBUFFERED } from '@whereabouts/service-kit/http/event-stream'
import { ListText } from '@whereabouts/service-kit/http/send-reply'
import { Reply, type Context, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { currentTrace, rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import type { Db, Tables } from '../db.ts'
import { cursorOf } from '@whereabouts/service-kit/http/cursor'
import { EventHeads } from './event-heads.ts'
import { eventPages, eventText, type Page } from './event-pages.ts'
import { EventPlaces } from './event-places.ts'
import { EventStream } from './event-stream.ts'

/** Events that a stream reads at a time. */
const STREAM_PAGE = 100

type Deps = {
  db: Pick<TenantDatabase<Tables>, 'forOrg'>
  across: Db
  log: Logger
  registry: Registry
  heartbeatMs?: number | undefined
}
type Asked = Context<'listEvents'>

export type EventFeed = {
  handlers: Pick<Handlers<'webhook-dispatcher'>, 'listEvents'>
  /** Answers everything that waits, and ends all streams. Later requests do not wait. */
  stop(): void
}

/** The feed of events, as pages, as polls that wait for the first event, and as streams. */
export function eventFeed({ db, across, log, registry, heartbeatMs }: Deps): EventFeed {
  const pages = eventPages(db)
  const heads = new EventHeads(across, log)
  const places = new EventPlaces()
  const streams = new Set<EventStream>()
  let isStopped = false
  gauge(
    registry,
    'event_streams',
    'Open streams of events, and requests that wait for one.',
    () => places.size,
  )

  async function poll(asked: Asked, after: string | undefined): Promise<Page> {
    const { principal, query, isHead } = asked
    const { orgId } = principal
    const filter = { types: query.type, limit: query.limit }
    let page = await pages.first(orgId, after, filter)
    const { wait = 0 } = query
    if (isHead || wait === 0 || !isEmpty(page)) return page
    const leave = places.take(orgId)
    try {
      const over = AbortSignal.timeout(wait * 1_000)
      const client = currentTrace()?.client?.signal
      const end = client ? AbortSignal.any([over, client]) : over
      while (isEmpty(page)) {
        await heads.moved(orgId, page.seq, end)
        if (isStopped || end.aborted) break
        page = await pages.next(orgId, page.seq, filter)
      }
      return page
    } finally {
      leave()
    }
  }

  async function stream(asked: Asked, after: string | undefined): Promise<EventStream> {
    const { principal, query } = asked
    const { orgId, expiresAtMs = 0 } = principal
    const filter = { types: query.type, limit: STREAM_PAGE }
    const leave = places.take(orgId)
    try {
      const first = await pages.first(orgId, after, filter)
      const trace = currentTrace() ?? rootTrace()
      const opened = new EventStream({
        orgId,
        first,
        heads,
        expiresAtMs,
        heartbeatMs,
        // The stream is read in whichever context its client has made room.
        next: (seq) => withTrace(trace, () => pages.next(orgId, seq, filter)),
        onFailure: (error) => asked.log.warn({ err: error }, 'stream of events ended'),
      })
      streams.add(opened)
      opened.once('close', () => {
        leave()
        streams.delete(opened)
      })
      if (isStopped) opened.finish()
      return opened
    } catch (error) {
      leave()
      throw error
    }
  }

  return {
    handlers: {
      async listEvents(asked) {
        const { headers, query, principal, isHead } = asked
        const wantsStream = namesType(headers.accept, EVENT_STREAM_MEDIA_TYPE)
        if (wantsStream && !isHead) {
          const lastId = headers['last-event-id']
          const after = typeof lastId === 'string' && lastId !== '' ? lastId : query.after
          return new Reply(await stream(asked, after), STREAM_HEADERS)
        }
        const page = await poll(asked, query.after)
        if (wantsStream) return new Reply(Readable.from([]), STREAM_HEADERS)
        const cursor = cursorOf(principal.orgId, page.seq)
        const list = new ListText(page.rows.map(eventText).join(','), { cursor, has_more: page.hasMore })
        return new Reply(list, { vary: 'Accept' })
      },
    },
    stop() {
      isStopped = true
      heads.stop()
      for (const opened of streams) opened.finish()
    },
  }
}

const isEmpty = ({ rows, hasMore }: Page) => rows.length === 0 && !hasMore

const STREAM_HEADERS = { 'content-type': EVENT_STREAM_MEDIA_TYPE, vary: 'Accept', ...UNBUFFERED }
