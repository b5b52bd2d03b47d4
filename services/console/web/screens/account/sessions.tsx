import { Badge, Table, Text, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'

const LIMIT = 10

/** Browsers in which the person is signed in, in all organizations. Never empty: it contains this one. */
export function Sessions() {
  const [offset, setOffset] = useState(0)
  const sessions = useQuery({
    queryKey: ['sessions', offset],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/users/me/sessions', { params: { query: { limit: LIMIT, offset } }, signal }),
      ),
  })
  return (
    <Card title="Where you are signed in">
      <Text size="sm" c="dimmed">
        End a session that you do not know, and change your password.
      </Text>
      <Loaded query={sessions} what="your sessions">
        {({ data, total_count: total }) => (
          <>
            <StackedTable label="Your sessions">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Organization</Table.Th>
                  <Table.Th>Signed in</Table.Th>
                  <Table.Th>Last used</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>Action</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
              </Table.Tbody>
            </StackedTable>
            {total > LIMIT && (
              <Pager offset={offset} limit={LIMIT} total={total} what="sessions" onOffset={setOffset} />
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

const SessionRow = ({ session }: { session: components['schemas']['SignedIn'] }) => (
  <Table.Tr>
    <Cell>{session.org.name}</Cell>
    <Cell label="Signed in">
      <When at={session.created_at} as="day" />
    </Cell>
    <Cell label="Last used">
      <When at={session.last_used_at} />
    </Cell>
    <Cell align="right">
      {session.current ? (
        <Badge variant="light" autoContrast>
          This session
        </Badge>
      ) : (
        <ConfirmButton
          label="End"
          ariaLabel={`End the session in ${session.org.name}`}
          size="compact-xs"
          reload={[['sessions']]}
          work={async () =>
            unwrap(
              await api.DELETE('/api/v1/users/me/sessions/{session_id}', {
                params: { path: { session_id: session.id } },
              }),
            )
          }
        >
          That browser must sign in again. Text that is typed there but not saved stays until then.
        </ConfirmButton>
      )}
    </Cell>
  </Table.Tr>
)
