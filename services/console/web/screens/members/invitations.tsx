import { Table } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { roleName } from './roles.ts'

const LIMIT = 20

/** Invitations that can still be accepted. */
export function Invitations() {
  const { org } = useSession()
  const [offset, setOffset] = useState(0)
  const invitations = useQuery({
    queryKey: ['invitations', offset],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/orgs/{org_id}/invitations', {
          params: { path: { org_id: org.id }, query: { limit: LIMIT, offset } },
          signal,
        }),
      ),
  })
  return (
    <Loaded query={invitations} what="the invitations">
      {({ data, total_count: total }) =>
        total === 0 ? (
          <EmptyState title="No open invitations">Invite people by email.</EmptyState>
        ) : (
          <>
            <ScrollRegion label="Open invitations">
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Email</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>Invited</Table.Th>
                    <Table.Th>Valid until</Table.Th>
                    <Table.Th>
                      <span aria-hidden> </span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {data.map((each) => (
                    <Table.Tr key={each.id}>
                      <Table.Td>{each.email}</Table.Td>
                      <Table.Td>{roleName(each.role)}</Table.Td>
                      <Table.Td>
                        <When at={each.created_at} />
                      </Table.Td>
                      <Table.Td>
                        <When at={each.expires_at} as="day" />
                      </Table.Td>
                      <Table.Td ta="right">
                        <ConfirmButton
                          label="Withdraw"
                          ariaLabel={`Withdraw the invitation for ${each.email}`}
                          size="compact-xs"
                          reload={[['invitations']]}
                          work={async () =>
                            unwrap(
                              await api.DELETE('/api/v1/orgs/{org_id}/invitations/{invitation_id}', {
                                params: { path: { org_id: org.id, invitation_id: each.id } },
                              }),
                            )
                          }
                        >
                          The link sent to {each.email} will stop working.
                        </ConfirmButton>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollRegion>
            <Pager offset={offset} limit={LIMIT} total={total} what="invitations" onOffset={setOffset} />
          </>
        )
      }
    </Loaded>
  )
}
