import { Badge, Group, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { usePage } from '../../../parts/load/use-read.ts'
import type { Column } from '../../../parts/table/data-table.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { LocationLink } from '../../../parts/things/links.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { useAncestors } from '../../../parts/locations/location-queries.ts'

type Props = { q: string; withDeleted: boolean; offset: string; onOffset: (offset: string) => void }

/** Small, because each row loads its path. */
const PAGE = 20

/** Search results with the path of each location. */
export function FoundLocations({ q, withDeleted, offset, onOffset }: Props) {
  const query = {
    limit: PAGE,
    offset: Number(offset) || 0,
    sort: 'name',
    ...(q !== '' && { q }),
    ...(withDeleted && { include_deleted: true }),
  }
  const found = usePage(['locations', 'found', query], '/api/v1/locations', { query })
  return (
    <PagedTable
      label="Found locations"
      query={found}
      what="locations"
      columns={COLUMNS}
      rowKey={({ id }) => id}
      minWidth={480}
      empty={
        <EmptyState title="No location found">
          {q === ''
            ? 'There is no location yet.'
            : `No location has “${q}” in its name, key, description or tags. Try a shorter text.`}
        </EmptyState>
      }
      offset={offset}
      onOffset={onOffset}
    />
  )
}

const COLUMNS: readonly Column<components['schemas']['Location']>[] = [
  {
    label: 'Name',
    role: 'title',
    cell: ({ id, name, deleted_at }) => (
      <Group gap={6}>
        <LocationLink id={id}>{name}</LocationLink>
        {deleted_at !== null && (
          <Badge color="red" variant="light" size="sm">
            Deleted
          </Badge>
        )}
      </Group>
    ),
  },
  { label: 'External key', cell: ({ external_key: key }) => key },
  {
    label: 'Parent locations',
    cell: ({ id, parent_id, deleted_at }) => parent_id !== null && deleted_at === null && <Path id={id} />,
  },
]

function Path({ id }: { id: number }) {
  const { data } = useAncestors(id)
  return (
    <Text span size="sm">
      {data?.map(({ name }) => name).join(' › ')}
    </Text>
  )
}
