import { z } from 'zod'
import { Uuid } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { enumParameters, integerParameter, limitParameter, textParameter } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

/** Those that a webhook can ask for (D13.4). */
export const sentTypes = [
  'asset.moved',
  'asset.created',
  'asset.updated',
  'asset.deleted',
  'location.created',
  'location.updated',
  'location.deleted',
  'tag.attached',
  'tag.detached',
  'reader.silent',
  'reader.online',
  'alert.raised',
  'alert.resolved',
  'import.finished',
] as const
/** All of the feed. Each is a row of `webhookEvents` (`messages/webhook-events.ts`). */
export const eventTypes = [...sentTypes, 'webhook.failing', 'webhook.recovered', 'webhook.disabled'] as const
export type EventType = (typeof eventTypes)[number]

/** One thing that happened, as the feed shows it. */
export const EventView = z
  .object({
    id: Uuid,
    type: openEnum(eventTypes),
    occurred_at: WireInstant,
    recorded_at: WireInstant,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'Event',
    example: {
      id: '0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a',
      type: 'asset.deleted',
      occurred_at: '2026-11-21T08:30:00.000Z',
      recorded_at: '2026-11-21T08:30:00.120Z',
      data: { asset: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' } },
    },
  })
export type EventView = z.infer<typeof EventView>

export const EventPage = z
  .object({
    data: z.array(EventView),
    cursor: z.string().meta({ example: 'MTAwMS4xMjM' }),
    has_more: z.boolean(),
  })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof EventPage>

/** Seconds for which an empty answer is held back. */
export const MOST_WAIT_SECONDS = 30

export const EventsQuery = z.strictObject({
  after: textParameter(
    255,
    'The `cursor` of the answer before, or `now`: only what happens from here on. Without it: from the oldest event that is kept.',
  ).optional(),
  type: enumParameters(eventTypes).optional(),
  limit: limitParameter(500)
    .optional()
    .transform((sent) => sent ?? 50),
  wait: integerParameter(0, MOST_WAIT_SECONDS)
    .optional()
    .meta({ description: 'Seconds to wait for the first event, if there is none yet. Default 0.' }),
})
export type EventsQuery = z.infer<typeof EventsQuery>

export const eventRoutes = {
  listEvents: {
    method: 'GET',
    path: '/events',
    upstream: 'webhook-dispatcher',
    access: 'events:read',
    counted: false,
    described: true,
    summary: 'Follow what happens',
    description:
      'Returns the events of the organization in the order in which they were recorded. Send `cursor` as `after` for what ' +
      'follows: no event is left out or repeated. With `wait`, an answer without events comes when the first one happens, ' +
      'or after that many seconds with the cursor to go on with. Events are kept for 7 days; after an older cursor the ' +
      'answer is 410 with `error.cursor`. With `Accept: text/event-stream`, the events are sent as they happen: `id` is ' +
      'the cursor, and `Last-Event-ID` wins over `after`. An organization may wait or stream 25 times at once. ' +
      'With `type=asset.moved` alone, `scans:read` or `tracking:read` is enough.',
    query: EventsQuery,
    success: { status: 200, schema: EventPage, streamed: true },
    errors: ['validation_error', 'gone', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
