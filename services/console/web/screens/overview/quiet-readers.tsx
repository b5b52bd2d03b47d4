import { Anchor, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { unwrap } from '@whereabouts/client/client'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { ScrollRegion } from '../../parts/scroll-region.tsx'

const SHOWN = 10
const REFRESH_MS = 15_000

/** Silent readers, and configured readers that never sent a message. */
export function QuietReaders() {
  const quiet = useQuery({
    queryKey: ['readers', 'quiet'],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const query = { status: ['silent', 'never_heard'] as const, limit: SHOWN, sort: '-last_seen_at' }
      return unwrap(
        await api.GET('/api/v1/readers', {
          params: { query: { ...query, status: [...query.status] } },
          signal,
        }),
      )
    },
  })
  return (
    <Card title="Silent readers">
      <Loaded query={quiet} what="readers">
        {({ data, total_count }) =>
          total_count === 0 ? (
            <Text size="sm" c="dimmed">
              None. All readers send as usual.
            </Text>
          ) : (
            <>
              <ScrollRegion label="Silent readers">
                <Table>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Reader</Table.Th>
                      <Table.Th>Last seen</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {data.map(({ id, name, reader_key, health: { last_seen_at } }) => (
                      <Table.Tr key={reader_key}>
                        <Table.Td>
                          <Anchor component={Link} to={id === null ? '/readers' : `/readers/${id}`} size="sm">
                            {name ?? reader_key}
                          </Anchor>
                        </Table.Td>
                        <Table.Td>{last_seen_at === null ? 'Never' : <When at={last_seen_at} />}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </ScrollRegion>
              {total_count > SHOWN && (
                <Anchor component={Link} to="/readers" size="sm">
                  {`and ${total_count - SHOWN} more`}
                </Anchor>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}
