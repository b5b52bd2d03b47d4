import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Counts } from './use-counts.ts'

const LINKS = [
  { field: 'assets', label: 'Assets', to: '/assets' },
  { field: 'locations', label: 'Locations', to: '/locations' },
  { field: 'readers', label: 'Readers', to: '/readers' },
  { field: 'unknownTags', label: 'Unknown tags', to: '/unknown-tags' },
] as const

const number = new Intl.NumberFormat()

/** How much there is, in one line, because it is not news. */
export const CountLine = ({ counts }: { counts: Counts }) => (
  <Group gap="lg">
    {LINKS.map(({ field, label, to }) => (
      <Text key={field} size="sm" component="div">
        <Anchor component={Link} to={to} inherit>
          {label}
        </Anchor>{' '}
        <Text span fw={600} inherit data-count={field} style={{ fontVariantNumeric: 'tabular-nums' }}>
          {number.format(counts[field])}
        </Text>
      </Text>
    ))}
  </Group>
)
