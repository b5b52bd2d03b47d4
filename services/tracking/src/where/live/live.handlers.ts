import { UNBUFFERED } from '@whereabouts/service-kit/http/event-stream'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { LiveFeed } from './live-feed.ts'
import { listenerOf } from './stream-requests.ts'

export type LiveDeps = { live: LiveFeed }

export const liveHandlers = ({
  live,
}: LiveDeps): Pick<Handlers<'tracking'>, 'listRecentMovements' | 'streamMovements'> => ({
  async streamMovements({ principal, query, headers, clientAddress }) {
    const header = headers['last-event-id']
    const lastEventId = typeof header === 'string' && header !== '' ? header : query.last_event_id
    const { expiresAtMs = 0 } = principal
    return new Reply(live.open(listenerOf(principal, clientAddress), lastEventId, expiresAtMs), UNBUFFERED)
  },
  async listRecentMovements({ principal: { orgId } }) {
    return { data: await live.recent(orgId) }
  },
})
