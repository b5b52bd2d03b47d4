import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { FeedEvent } from './event-log.ts'

type Thing = { id?: unknown; name?: unknown; external_key?: unknown; reader_key?: unknown; url?: unknown }

/** Things that have a screen. One that was deleted has none any more. */
const SCREENS = {
  asset: 'assets',
  location: 'locations',
  reader: 'readers',
  import: 'imports',
  webhook: 'webhooks',
} as const

/** What an event is about. An event of a newer API may be about something else. */
export function EventSubject({ event: { type, data } }: { event: FeedEvent }) {
  const kind = (Object.keys(SCREENS) as (keyof typeof SCREENS)[]).find((one) => data[one] !== undefined)
  if (kind === undefined) return '–'
  const thing = data[kind] as Thing
  const name = firstText(thing.name, thing.url, thing.reader_key, thing.external_key) ?? kind
  return (
    <>
      {type.endsWith('.deleted') || typeof thing.id !== 'number' ? (
        <Text span size="sm">
          {name}
        </Text>
      ) : (
        <Anchor
          component={Link}
          to={`/${SCREENS[kind]}/${thing.id}`}
          size="sm"
          style={{ display: 'inline-block', overflowWrap: 'anywhere' }}
        >
          {name}
        </Anchor>
      )}{' '}
      <Text span size="xs" c="dimmed">
        {[firstText(thing.external_key, thing.reader_key), moreOf(data)].filter(Boolean).join(' · ')}
      </Text>
    </>
  )
}

const firstText = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '')

/** Where a move ended, what was changed, or which tag it was. */
function moreOf(data: FeedEvent['data']): string | undefined {
  const { to_location: to, changed, tag } = data
  if (Array.isArray(changed)) return changed.join(', ')
  if (isRecord(to)) return `to ${firstText(to['name']) ?? 'a deleted location'}`
  if (isRecord(tag)) return firstText(tag['value'])
  return undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
