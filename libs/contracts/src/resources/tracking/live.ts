import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { dataOf, textParameter } from '../../rules/query.ts'
import { EVENT_STREAM_MEDIA_TYPE, type Route } from '../../route.ts'

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

const Count = z.int().min(0)

/** `moves` counts what was recorded in the ten seconds from `at` on. Steps without a movement are left out. */
const Step = z.object({ at: WireInstant, moves: Count })

/** Movements by the time at which they were recorded. */
export const RecentMovements = z.object({
  /** Five minutes before `to`; later if so much moved that an earlier time would take too long to count. */
  from: WireInstant,
  to: WireInstant,
  /** Everything up to this event of the live stream is counted, and nothing after it. */
  last_event_id: z.string(),
  steps: z.array(Step),
  /** The newest, newest first. */
  movements: z.array(LiveMovement),
})
export type RecentMovements = z.infer<typeof RecentMovements>

/** Names of the events. After `reset` the client must reload its data, because it may have missed movements. */
export const liveEvents = { moved: 'asset.moved', reset: 'reset' } as const

const forUsers = { upstream: 'tracking', access: 'session', counted: false, described: false } as const

export const liveRoutes = {
  streamMovements: {
    method: 'GET',
    path: '/movements/live',
    ...forUsers,
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
  listRecentMovements: {
    method: 'GET',
    path: '/movements/recent',
    ...forUsers,
    summary: 'List the movements of the last minutes',
    description:
      'What moved in the last five minutes: counts per ten seconds, and the newest movements. `last_event_id` says ' +
      'where the live stream continues.',
    success: { status: 200, schema: dataOf(RecentMovements) },
    errors: [],
  },
} as const satisfies Record<string, Route>
