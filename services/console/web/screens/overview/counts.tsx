import { Anchor, Paper, SimpleGrid, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Counts } from './use-counts.ts'

const CARDS = [
  { field: 'assets', label: 'Assets', to: '/assets' },
  { field: 'locations', label: 'Locations', to: '/locations' },
  { field: 'readers', label: 'Readers', to: '/readers' },
  { field: 'unknownTags', label: 'Unknown tags', to: '/unknown-tags' },
] as const

export function CountCards({ counts }: { counts: Counts }) {
  const number = new Intl.NumberFormat()
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {CARDS.map(({ field, label, to }) => (
        <Paper key={field} withBorder p="md">
          <Anchor component={Link} to={to} size="sm">
            {label}
          </Anchor>
          <Text fz={28} fw={600} lh={1.2} data-count={field}>
            {number.format(counts[field])}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
