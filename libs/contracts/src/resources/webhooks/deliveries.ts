import { z } from 'zod'
import { Uuid } from '../../rules/ids.ts'
import { Instant, WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import {
  dataOf,
  enumParameters,
  instantParameter,
  integerParameter,
  limitParameter,
  pathId,
  textParameter,
} from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { eventTypes } from './events.ts'

/** `failed`: all attempts used; `dropped`: off, filtered or deleted before. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'dropped'] as const

/** Deliveries that one request may send again (D13.5). */
export const MOST_REPLAYED = 100_000

const ATTEMPT = {
  at: '2026-11-21T08:30:01.000Z',
  status_code: 500,
  error: 'answered 500',
  latency_ms: 84,
}
const DELIVERY = {
  delivery_id: '5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77',
  type: 'asset.moved',
  occurred_at: '2026-11-21T08:30:00.000Z',
  state: 'failed',
  next_attempt_at: null,
  last: ATTEMPT,
}

/** One attempt of a delivery. */
const DeliveryAttempt = z
  .object({
    at: WireInstant,
    status_code: z.int().nullable(),
    error: z.string().nullable().meta({ example: 'answered 500', description: 'Null after a 2xx response.' }),
    latency_ms: z.int(),
  })
  .meta({ id: 'DeliveryAttempt', example: ATTEMPT })

const delivery = {
  delivery_id: Uuid,
  type: openEnum(eventTypes),
  occurred_at: WireInstant,
  state: openEnum(deliveryStates),
  next_attempt_at: WireInstant.nullable(),
  last: DeliveryAttempt.nullable(),
}

/** An event and an endpoint, from the first attempt on. */
export const EndpointDelivery = z
  .object({ ...delivery, attempts: z.int() })
  .meta({ id: 'EndpointDelivery', example: { ...DELIVERY, attempts: 3 } })
export type EndpointDelivery = z.infer<typeof EndpointDelivery>

/** Here `attempts` are all of them, where the list has their number (D13.11). */
export const EndpointDeliveryDetail = z
  .object({
    ...delivery,
    body: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ example: { event: 'asset.moved' } }),
    attempts: z.array(DeliveryAttempt),
  })
  .meta({
    id: 'EndpointDeliveryDetail',
    example: { ...DELIVERY, body: { event: 'asset.moved' }, attempts: [ATTEMPT] },
  })
export type EndpointDeliveryDetail = z.infer<typeof EndpointDeliveryDetail>

export const EndpointDeliveryPage = z
  .object({
    data: z.array(EndpointDelivery),
    cursor: z
      .string()
      .nullable()
      .meta({ override: { type: 'string', nullable: true } }),
    has_more: z.boolean(),
  })
  .meta({ id: 'EndpointDeliveryPage' })

export const EndpointDeliveriesQuery = z.strictObject({
  state: enumParameters(deliveryStates).optional(),
  type: enumParameters(eventTypes).optional(),
  from: instantParameter.optional(),
  to: instantParameter.optional(),
  after: textParameter(
    255,
    'The `cursor` of the page before. Send it with the same filters. Without it: the newest events.',
  ).optional(),
  limit: limitParameter(500)
    .optional()
    .transform((sent) => sent ?? 50),
})

export const ReplayRequest = z
  .strictObject({
    from: Instant,
    to: Instant.optional(),
    event_types: z
      .array(z.enum(eventTypes))
      .min(1)
      .max(50)
      .optional()
      .meta({ example: ['asset.moved'] }),
  })
  .meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof ReplayRequest>

/** How much is sent again. */
export const ReplayView = z
  .object({ count: z.int(), oldest_occurred_at: WireInstant.nullable() })
  .meta({ id: 'Replay', example: { count: 12, oldest_occurred_at: '2026-11-21T08:30:00.000Z' } })
export type ReplayView = z.infer<typeof ReplayView>

/** For the console: an endpoint at a glance. */
const EndpointStats = z.object({
  waiting: z.int(),
  failing_since: WireInstant.nullable(),
  hours: z.array(z.object({ hour: WireInstant, delivered: z.int(), failed: z.int() })),
})
export type EndpointStats = z.infer<typeof EndpointStats>

const row = { upstream: 'webhook-dispatcher', counted: true, described: true } as const
const EndpointPath = z.strictObject({ webhook_id: pathId })
const DeliveryPath = z.strictObject({
  webhook_id: pathId,
  delivery_id: Uuid.meta({ example: '5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77' }),
})

const replay = {
  ...row,
  method: 'POST',
  access: 'webhooks:admin',
  role: 'admin',
  summary: 'Send the events of a period again',
  description:
    'Sends everything again that was recorded from `from` to `to` and is of the event types of the webhook, with the same ' +
    '`delivery_id`, whether it was delivered or not. `count` says how many events these are, before a filter is ' +
    'applied. Events are kept for 7 days. `occurred_at` and `X-Service-Timestamp` stay those of the event, so ' +
    'the receiver must verify `webhook-timestamp`.',
  params: EndpointPath,
  body: ReplayRequest,
  success: { status: 202, schema: dataOf(ReplayView) },
  errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
} as const

const resend = {
  ...row,
  method: 'POST',
  access: 'webhooks:admin',
  role: 'admin',
  summary: 'Send an event again',
  description:
    'Makes further attempts with the same `delivery_id`, whether it was delivered or not. 404 once it is no longer in the log.',
  params: DeliveryPath,
  success: { status: 202 },
  errors: ['validation_error', 'not_found', 'conflict'],
} as const

export const deliveryRoutes = {
  replayWebhook: { ...replay, path: '/webhooks/{webhook_id}/replay' },
  resendWebhookDelivery: { ...resend, path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/resend' },
  listEndpointDeliveries: {
    ...row,
    method: 'GET',
    path: '/webhook-endpoints/{webhook_id}/deliveries',
    access: 'webhooks:admin',
    summary: 'List deliveries',
    description:
      'Returns events with what became of them, the one that was recorded last first. An event is listed from its first ' +
      'attempt on, for 7 days; of an endpoint with more, the last 100 000. Test events are not listed.',
    params: EndpointPath,
    query: EndpointDeliveriesQuery,
    success: { status: 200, schema: EndpointDeliveryPage },
    errors: ['validation_error', 'not_found'],
  },
  getEndpointDelivery: {
    ...row,
    method: 'GET',
    path: '/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}',
    access: 'webhooks:admin',
    summary: 'Retrieve a delivery',
    description: 'Adds what is sent, and all attempts.',
    params: DeliveryPath,
    success: { status: 200, schema: dataOf(EndpointDeliveryDetail) },
    errors: ['validation_error', 'not_found'],
  },
  replayEndpoint: { ...replay, path: '/webhook-endpoints/{webhook_id}/replay' },
  resendEndpointDelivery: {
    ...resend,
    path: '/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}/resend',
  },
  getEndpointStats: {
    method: 'GET',
    path: '/webhook-endpoints/{webhook_id}/stats',
    upstream: 'webhook-dispatcher',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Count what was delivered per hour, and what waits',
    description:
      '`waiting` counts to 100 000 at most. `failing_since` is the first failed attempt after the last success.',
    params: EndpointPath,
    query: z.strictObject({
      hours: integerParameter(24, 168)
        .optional()
        .transform((sent) => sent ?? 24),
    }),
    success: { status: 200, schema: dataOf(EndpointStats) },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
