import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import type { LiveFeed } from './live-feed.ts'

export type LiveDeps = { live: LiveFeed }

/** Nothing between us and the client may keep events back, or keep them. */
const UNBUFFERED = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }

export const liveHandlers = ({ live }: LiveDeps): Pick<Handlers<'tracking'>, 'streamMovements'> => ({
  async streamMovements({ principal, query, headers }) {
    const header = headers['last-event-id']
    const lastEventId = typeof header === 'string' && header !== '' ? header : query.last_event_id
    return new Answer(live.open(principal.orgId, lastEventId, principal.expiresAtMs ?? 0), UNBUFFERED)
  },
})
