import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../../parts/table/data-table.tsx'
import { eventText } from './event-types.ts'
import { HealthBadge, SwitchOn } from './webhook-health.tsx'
import { HoursInBrief } from './webhook-hours.tsx'
import type { Webhook } from './webhook-settings.ts'

const SHOWN_TYPES = 2

const typesText = (types: readonly string[]) =>
  types.length > SHOWN_TYPES
    ? `${types.slice(0, SHOWN_TYPES).map(eventText).join(', ')}, ${types.length - SHOWN_TYPES} more`
    : types.map(eventText).join(', ')

/** Of the list of webhooks. */
export const COLUMNS: readonly Column<Webhook>[] = [
  {
    label: 'URL',
    role: 'title',
    maxWidth: 420,
    cell: ({ id, url, primary }) => (
      <>
        <Anchor
          component={Link}
          to={`/webhooks/${id}`}
          size="sm"
          style={{ display: 'inline-block', overflowWrap: 'anywhere' }}
        >
          {url}
        </Anchor>
        {primary && (
          <Text span size="xs" c="dimmed">
            {' '}
            primary
          </Text>
        )}
      </>
    ),
  },
  { label: 'Events', cell: ({ event_types: types }) => typesText(types) },
  {
    label: 'Health',
    cell: (webhook) => (
      <Group gap="xs" wrap="nowrap">
        <HealthBadge webhook={webhook} />
        {webhook.health === 'disabled' && <SwitchOn webhook={webhook} />}
      </Group>
    ),
  },
  { label: 'Last 24 hours', cell: ({ id }) => <HoursInBrief id={id} /> },
]
