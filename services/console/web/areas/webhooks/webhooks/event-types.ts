import type { paths } from '@whereabouts/client/client'
import { wordsFor } from '../../../parts/things/known.ts'

type Body = paths['/api/v1/webhook-endpoints']['post']['requestBody']['content']['application/json']
/** What a webhook may ask for. */
export type SentType = NonNullable<Body['event_types']>[number]
type FeedQuery = NonNullable<paths['/api/v1/events']['get']['parameters']['query']>
/** What the feed has. */
export type FeedType = NonNullable<FeedQuery['type']>[number]

const SENT: Readonly<Record<SentType, string>> = {
  'asset.moved': 'Asset moved',
  'asset.created': 'Asset created',
  'asset.updated': 'Asset changed',
  'asset.deleted': 'Asset deleted',
  'location.created': 'Location created',
  'location.updated': 'Location changed',
  'location.deleted': 'Location deleted',
  'tag.attached': 'Tag attached',
  'tag.detached': 'Tag detached',
  'reader.silent': 'Reader silent',
  'reader.online': 'Reader online again',
  'alert.raised': 'Alert raised',
  'alert.resolved': 'Alert resolved',
  'import.finished': 'Import finished',
}

const ALL: Readonly<Record<FeedType, string>> = {
  ...SENT,
  'webhook.failing': 'Webhook fails',
  'webhook.recovered': 'Webhook works again',
  'webhook.disabled': 'Webhook switched off',
}

export const SENT_TYPES = Object.keys(SENT) as readonly SentType[]
export const FEED_TYPES = Object.keys(ALL) as readonly FeedType[]

/** An event of a newer API shows the name that the API has for it. */
export const eventText = (type: string): string => wordsFor(ALL, type) ?? type

/** Choices of a filter; the empty one is all. */
export const choicesOf = (types: readonly string[]) => [
  { value: '', label: 'All events' },
  ...types.map((type) => ({ value: type, label: eventText(type) })),
]
