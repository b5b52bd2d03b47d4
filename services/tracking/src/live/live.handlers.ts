import { addressBlock } from '@whereabouts/service-kit/address-block'
import { invalidToken } from '@whereabouts/service-kit/errors'
import { Reply, type Handlers } from '@whereabouts/service-kit/serve'
import type { LiveFeed } from './live-feed.ts'

export type LiveDeps = { live: LiveFeed }

/** No proxy may buffer or cache the events. */
const UNBUFFERED = { 'cache-control': 'private, no-store, no-transform', 'x-accel-buffering': 'no' }

export const liveHandlers = ({
  live,
}: LiveDeps): Pick<Handlers<'tracking'>, 'listRecentMovements' | 'streamMovements'> => ({
  async streamMovements({ principal, query, headers, clientAddress }) {
    const header = headers['last-event-id']
    const lastEventId = typeof header === 'string' && header !== '' ? header : query.last_event_id
    const { orgId, userId, expiresAtMs = 0 } = principal
    if (userId === undefined) throw invalidToken() // a session has one
    const listener = { orgId, userId, address: addressBlock(clientAddress) }
    return new Reply(live.open(listener, lastEventId, expiresAtMs), UNBUFFERED)
  },
  async listRecentMovements({ principal: { orgId } }) {
    return { data: await live.recent(orgId) }
  },
})
