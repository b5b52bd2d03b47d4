import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LocationLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { api } from '../../session/api.ts'
import { useAncestors } from '../location/location-queries.ts'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'

type Props = { q: string; withDeleted: boolean; offset: number; onOffset: (offset: number) => void }

/** Small, because each row loads its path. */
const PAGE = 20

/** Search results with the path of each location. */
export function FoundLocations({ q, withDeleted, offset, onOffset }: Props) {
  const query = {
    limit: PAGE,
    offset,
    sort: 'name',
    ...(q !== '' && { q }),
    ...(withDeleted && { include_deleted: true }),
  }
  const found = useQuery({
    queryKey: ['locations', 'found', query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/locations', { params: { query }, signal })),
  })
  return (
    <Loaded query={found} what="locations">
      {({ data, total_count }) =>
        total_count === 0 ? (
          <EmptyState title="No location found">
            {q === ''
              ? 'There is no location yet.'
              : `No location has “${q}” in its name, key, description or tags. Try a shorter text.`}
          </EmptyState>
        ) : (
          <Stack gap="xs">
            <StackedTable label="Found locations" minWidth={480}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>External key</Table.Th>
                  <Table.Th>Parent locations</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map(({ id, name, external_key, parent_id, deleted_at }) => (
                  <Table.Tr key={id}>
                    <Cell>
                      <Group gap={6}>
                        <LocationLink id={id}>{name}</LocationLink>
                        {deleted_at !== null && (
                          <Badge color="red" variant="light" size="sm">
                            Deleted
                          </Badge>
                        )}
                      </Group>
                    </Cell>
                    <Cell label="External key">{external_key}</Cell>
                    <Cell label="Parent locations">
                      {parent_id !== null && deleted_at === null && <Path id={id} />}
                    </Cell>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </StackedTable>
            <Pager offset={offset} limit={PAGE} total={total_count} onOffset={onOffset} what="locations" />
          </Stack>
        )
      }
    </Loaded>
  )
}

function Path({ id }: { id: number }) {
  const { data } = useAncestors(id)
  return (
    <Text span size="sm">
      {data?.map(({ name }) => name).join(' › ')}
    </Text>
  )
}
