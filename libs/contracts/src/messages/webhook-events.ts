import { z } from 'zod'
import { Id, Uuid } from '../rules/ids.ts'
import { eventTypes, type EventType } from '../resources/webhooks/events.ts'
import { WireInstant } from '../rules/instant.ts'
import { AlertView } from '../resources/rules/alerts.ts'
import { alertRaised, alertResolved, type AlertEvent } from './alerts/alert-events.ts'
import { AssetMoved, assetMoved } from './asset-moved.ts'
import {
  catalogEventData,
  catalogEvents,
  type CatalogEvent,
  type CatalogEventType,
} from './catalog-events.ts'
import type { About } from './about.ts'
import type { Message } from './message.ts'
import { readerOnline, readerSilent, type ReaderEvent } from './reader-events.ts'
import { webhookHealth, type WebhookHealth } from './webhook-health.ts'

/** What an event of every type says, and `about`, which is not shown. */
export type WebhookMessage = {
  delivery_id: string
  org_id: number
  occurred_at: string
  about?: About | undefined
}

/** All that the feed, delivery, test events and the description need to know about one type of event. */
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

const MovedAsset = z.object({ id: Id, external_key: z.string(), name: z.string() }).meta({ id: 'MovedAsset' })
const EventLocation = z.object({ id: Id, name: z.string() }).meta({ id: 'EventLocation' })

export const AssetMovedBody = bodyOf(
  'asset.moved',
  z
    .object({
      asset: MovedAsset,
      from_location: EventLocation.nullable(),
      to_location: EventLocation,
    })
    .meta({ id: 'AssetMovedData' }),
)
export type AssetMovedBody = z.infer<typeof AssetMovedBody>

const placeOf = ({ id, name }: AssetMoved['to_location']) => ({ id, name })

const ReaderEventData = z
  .object({
    reader: z.object({ id: Id, reader_key: z.string(), name: z.string() }).meta({ id: 'EventReader' }),
    last_seen: WireInstant,
  })
  .meta({ id: 'ReaderEventData' })

const WebhookHealthData = z.object({ webhook: z.object({ id: Id, url: z.string(), health: z.string() }) })

const asset = { id: 1, external_key: 'TEST-ASSET', name: 'Test Asset' }
const location = { id: 2, external_key: 'TEST-ORIGIN', name: 'Test Origin' }
const at = '2026-11-21T08:30:00.000Z'
const lifetime = { valid_from: at, valid_to: null, created_at: at, updated_at: at, deleted_at: null }
const life = { description: null, is_active: true, ...lifetime, tags: [] }
const home = { home_location_id: null, home_location_external_key: null }
const assetView = { ...asset, ...life, type: 'asset', metadata: {}, ...home }
const locationView = { ...location, ...life, parent_id: null, parent_external_key: null }
const tag = { id: 3, tag_type: 'ble', value: 'TEST-TAG' }

const importView = {
  id: 5, resource: 'assets', dry_run: false, state: 'done', rows_total: 2, rows_done: 2, created: 1, updated: 1,
  unchanged: 0, failed: 0, warned: 0, tags_removed: 0, encoding: 'utf-8', empty_cells: 'clear', first_names: ['Pump', 'Fan'], applied_from: null, ignored_columns: [], created_by: null, created_at: at, started_at: at,
  finished_at: at,
} // oxfmt-ignore

const ofReader = (message: Message<z.ZodType<ReaderEvent>>, type: EventType, summary: string) =>
  event<ReaderEvent>({
    message,
    body: bodyOf(type, ReaderEventData),
    summary,
    dataOf: ({ reader: { id, reader_key, name }, last_seen }) => ({
      reader: { id, reader_key, name },
      last_seen,
    }),
    example: { reader: { id: 4, reader_key: 'TEST-READER', name: 'Test Reader' }, last_seen: at },
  })

const AlertEventData = z.object({ alert: AlertView }).meta({ id: 'AlertEventData' })

const alertView = {
  id: 7,
  rule: { id: 8, name: 'Test Rule', kind: 'stayed_longer_than', severity: 'warning' },
  subject: { type: 'asset', ...asset },
  location: { ...location, name: 'Test Location' },
  state: 'raised',
  note: null,
  raised_at: at,
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
  resolved_because: null,
}

const ofAlert = (
  message: Message<z.ZodType<AlertEvent>>,
  type: EventType,
  summary: string,
  changes: Partial<AlertEvent['alert']> = {},
) =>
  event<AlertEvent>({
    message,
    body: bodyOf(type, AlertEventData),
    summary,
    dataOf: ({ alert }) => ({ alert }),
    example: { alert: { ...alertView, ...changes } },
  })

const ofWebhook = (type: keyof typeof webhookHealth, health: string, summary: string) =>
  event<WebhookHealth>({
    message: webhookHealth[type],
    body: bodyOf(type, WebhookHealthData),
    summary,
    dataOf: ({ webhook: { id, url, health: now } }) => ({ webhook: { id, url, health: now } }),
    example: { webhook: { id: 6, url: 'https://example.com/events', health } },
  })

const ofCatalog = (type: CatalogEventType, summary: string, data: object) =>
  event<CatalogEvent>({
    message: catalogEvents[type],
    body: bodyOf(type, catalogEventData[type]),
    summary,
    dataOf: (message) => message.data,
    example: { data: { ...data } },
  })

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
  'asset.created': ofCatalog('asset.created', 'An asset was created', { asset: assetView }),
  'asset.updated': ofCatalog('asset.updated', 'An asset was changed, renamed or restored', {
    asset: assetView,
    changed: ['name'],
  }),
  'asset.deleted': ofCatalog('asset.deleted', 'An asset was deleted', { asset }),
  'location.created': ofCatalog('location.created', 'A location was created', { location: locationView }),
  'location.updated': ofCatalog('location.updated', 'A location was changed, moved, renamed or restored', {
    location: locationView,
    changed: ['parent_id'],
  }),
  'location.deleted': ofCatalog('location.deleted', 'A location was deleted', { location }),
  'tag.attached': ofCatalog('tag.attached', 'A tag was attached to an asset or a location', { tag, asset }),
  'tag.detached': ofCatalog('tag.detached', 'A tag was detached from an asset or a location', { tag, asset }),
  'reader.silent': ofReader(readerSilent, 'reader.silent', 'A reader went silent'),
  'reader.online': ofReader(readerOnline, 'reader.online', 'A reader that was silent was heard again'),
  'alert.raised': ofAlert(alertRaised, 'alert.raised', 'A rule raised an alert'),
  'alert.resolved': ofAlert(alertResolved, 'alert.resolved', 'An alert was resolved', {
    state: 'resolved',
    resolved_at: at,
    resolved_because: 'condition',
  }),
  'import.finished': event<CatalogEvent>({
    message: catalogEvents['import.finished'],
    body: bodyOf('import.finished', catalogEventData['import.finished']),
    summary: 'An import ended: it is done, was cancelled or failed',
    dataOf: (message) => message.data,
    example: { data: { import: importView } },
  }),
  'webhook.failing': ofWebhook('webhook.failing', 'failing', 'A webhook fails'),
  'webhook.recovered': ofWebhook('webhook.recovered', 'ok', 'A webhook that failed works again'),
  'webhook.disabled': ofWebhook('webhook.disabled', 'disabled', 'A webhook was switched off'),
}
export type WebhookEventType = EventType

/** All events, by the value of `event` or `type`. */
export const webhookEvents: Readonly<Record<EventType, WebhookEvent<WebhookMessage>>> = rows

/** `data` of the example of a type, as the feed and a webhook show it. */
export const exampleOf = (type: EventType): unknown =>
  webhookEvents[type].dataOf({ ...NOBODY, ...webhookEvents[type].example })

const NOBODY = { delivery_id: '', org_id: 0, occurred_at: '' }

/** The type of the event on this subject; undefined for a type that only another release knows. */
export function webhookEventType(subject: string): WebhookEventType | undefined {
  const [, token] = subject.split('.')
  return eventTypes.find((type) => type.replace('.', '-') === token)
}
