import { z } from 'zod'
import { Id } from './ids.ts'
import { WireInstant } from './instant.ts'
import { textParameter } from './query.ts'
import { EVENT_STREAM_MEDIA_TYPE, type Route } from './route.ts'

const Place = z.object({ id: Id, name: z.string() })

/** `data` of an `asset.moved` event, the same as in the webhook of the movement. */
export const LiveMovement = z.object({
  delivery_id: z.guid(),
  occurred_at: WireInstant,
  asset: z.object({ id: Id, external_key: z.string(), name: z.string() }),
  from_location: Place.nullable(),
  to_location: Place,
})
export type LiveMovement = z.infer<typeof LiveMovement>

/** Names of the events. After `reset` the client must reload its data, because it may have missed movements. */
export const liveEvents = { moved: 'asset.moved', reset: 'reset' } as const

export const liveRoutes = {
  streamMovements: {
    method: 'GET',
    path: '/movements/live',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Movements of the organization as they happen, as server-sent events',
    description:
      'Each event `asset.moved` has an `id`; sent back as `Last-Event-ID` (or `last_event_id`, where a first request ' +
      'cannot set headers) the stream goes on behind it. An event `reset` says that this is not possible: reload, then ' +
      'go on. The stream ends with the session, at the latest with its token: connect again.',
    query: z.strictObject({
      last_event_id: textParameter(
        255,
        'As the header `Last-Event-ID`, which wins where both are sent.',
      ).optional(),
    }),
    success: { status: 200, download: EVENT_STREAM_MEDIA_TYPE },
    errors: ['validation_error', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
