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
    summary: 'Stream movements as server-sent events',
    description:
      'Sends the movements of the organization as they happen. Each `asset.moved` event has an `id`. To resume ' +
      'after an event, send its id as `Last-Event-ID`, or as `last_event_id` if a first request cannot set headers. ' +
      'A `reset` event means that the stream cannot resume: reload your data, then continue. The stream ends with ' +
      'the session, at the latest when the token expires. Connect again then.',
    query: z.strictObject({
      last_event_id: textParameter(
        255,
        'Same as the header `Last-Event-ID`. The header wins if both are sent.',
      ).optional(),
    }),
    success: { status: 200, download: EVENT_STREAM_MEDIA_TYPE },
    errors: ['validation_error', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
