import { Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LocationLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { api } from '../../session/api.ts'
import { useAncestors } from '../location/location-queries.ts'
import { ScrollRegion } from '../../parts/scroll-region.tsx'

type Props = { q: string; offset: number; onOffset: (offset: number) => void }

/** Small, because each row loads its path. */
const PAGE = 20

/** Search results with the path of each location. */
export function FoundLocations({ q, offset, onOffset }: Props) {
  const found = useQuery({
    queryKey: ['locations', 'found', q, offset],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { q, limit: PAGE, offset, sort: 'name' }
      return unwrap(await api.GET('/api/v1/locations', { params: { query }, signal }))
    },
  })
  return (
    <Loaded query={found} what="locations">
      {({ data, total_count }) =>
        total_count === 0 ? (
          <EmptyState title="No location found">
            No location has “{q}” in its name, key, description or tags. Try a shorter text.
          </EmptyState>
        ) : (
          <Stack gap="xs">
            <ScrollRegion label="Found locations">
              <Table miw={480}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>External key</Table.Th>
                    <Table.Th>Parent locations</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {data.map(({ id, name, external_key, parent_id }) => (
                    <Table.Tr key={id}>
                      <Table.Td>
                        <LocationLink id={id}>{name}</LocationLink>
                      </Table.Td>
                      <Table.Td>{external_key}</Table.Td>
                      <Table.Td>{parent_id !== null && <Path id={id} />}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollRegion>
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
