import { z } from 'zod'
import { Id, Uuid } from '../rules/ids.ts'
import { WireInstant } from '../rules/instant.ts'
import { AssetMoved, assetMoved } from './asset-moved.ts'
import type { Message } from './message.ts'

/** What an event of every type says. */
export type WebhookMessage = { delivery_id: string; org_id: number; occurred_at: string }

/** All that delivery, test events and the description need to know about one type of event. */
type WebhookEvent<M extends WebhookMessage> = {
  /** On the stream EVENTS. Its subject is `events.<type, with a dash for the dot>.<org>`. */
  message: Message<z.ZodType<M>>
  /** The body of the request, byte for byte the same in each attempt. */
  body: z.ZodType
  /** `data` of the body, with its keys in the order of the contract. */
  dataOf(message: M): unknown
  /** The test event (D11.5), without what every event says. */
  example: Omit<M, keyof WebhookMessage>
  summary: string
}

const event = <M extends WebhookMessage>(row: WebhookEvent<M>) => row

const bodyOf = <E extends string, D extends z.ZodType>(name: E, data: D) =>
  z.object({ event: z.literal(name), delivery_id: Uuid, occurred_at: WireInstant, data })

const EventLocation = z.object({ id: Id, name: z.string() }).meta({ id: 'EventLocation' })

export const AssetMovedBody = bodyOf(
  'asset.moved',
  z
    .object({
      asset: z.object({ id: Id, external_key: z.string(), name: z.string() }).meta({ id: 'MovedAsset' }),
      from_location: EventLocation.nullable(),
      to_location: EventLocation,
    })
    .meta({ id: 'AssetMovedData' }),
)
export type AssetMovedBody = z.infer<typeof AssetMovedBody>

const placeOf = ({ id, name }: AssetMoved['to_location']) => ({ id, name })

const rows = {
  'asset.moved': event<AssetMoved>({
    message: assetMoved,
    body: AssetMovedBody,
    summary: 'An asset moved',
    dataOf: ({ asset: { id, external_key, name }, from_location, to_location }) => ({
      asset: { id, external_key, name },
      from_location: from_location && placeOf(from_location),
      to_location: placeOf(to_location),
    }),
    // No asset or location has these ids, because real ids are above 2^50.
    example: {
      kind: 'scan',
      asset: { id: 1, external_key: 'TEST-ASSET', name: 'Test Asset' },
      from_location: { id: 2, name: 'Test Origin' },
      to_location: { id: 3, name: 'Test Destination' },
    },
  }),
}
export type WebhookEventType = keyof typeof rows

/** The events that webhooks get, by the value of `event`. */
export const webhookEvents: Readonly<Record<WebhookEventType, WebhookEvent<WebhookMessage>>> = rows

/** The type of the event on this subject; undefined for a type that only another release knows. */
export function webhookEventType(subject: string): WebhookEventType | undefined {
  const [, token] = subject.split('.')
  return TYPES.find((type) => type.replace('.', '-') === token)
}

const TYPES = Object.keys(rows) as WebhookEventType[]
