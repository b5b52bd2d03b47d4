import { Button, Group, Table, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { roleName } from '../../parts/roles.ts'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { useSend } from '../../parts/use-send.ts'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import type { NewInvitation } from './invite-form.tsx'

const LIMIT = 20

type Invitation = components['schemas']['Invitation']
type Props = { onLink: (invitation: NewInvitation) => void }

/** Invitations that can still be accepted. */
export function Invitations({ onLink }: Props) {
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
          <EmptyState title="No open invitations">
            Invite people by their email address. You get a link to send to them.
          </EmptyState>
        ) : (
          <>
            <StackedTable label="Open invitations" minWidth={820}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Email</Table.Th>
                  <Table.Th>Role</Table.Th>
                  <Table.Th>Invited by</Table.Th>
                  <Table.Th>Invited</Table.Th>
                  <Table.Th>Valid until</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>Actions</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((each) => (
                  <InvitationRow key={each.id} invitation={each} onLink={onLink} />
                ))}
              </Table.Tbody>
            </StackedTable>
            <Pager offset={offset} limit={LIMIT} total={total} what="invitations" onOffset={setOffset} />
          </>
        )
      }
    </Loaded>
  )
}

function InvitationRow({ invitation, onLink }: Props & { invitation: Invitation }) {
  const { org } = useSession()
  const { id, email, role } = invitation
  const renew = useSend(
    async () =>
      unwrap(
        await api.POST('/api/v1/orgs/{org_id}/invitations', {
          params: { path: { org_id: org.id } },
          body: { email, role: role === 'admin' ? 'admin' : 'member' },
        }),
      ).data,
    { reload: [['invitations']], onDone: onLink },
  )
  return (
    <Table.Tr>
      <Cell>{email}</Cell>
      <Cell label="Role">{roleName(role)}</Cell>
      <Cell label="Invited by">{invitation.created_by_name}</Cell>
      <Cell label="Invited">
        <When at={invitation.created_at} />
      </Cell>
      <Cell label="Valid until">
        <When at={invitation.expires_at} as="day" />
      </Cell>
      <Cell align="right">
        <Group gap="xs" justify="flex-end">
          <Button
            variant="default"
            size="compact-xs"
            loading={renew.isSending}
            aria-label={`New link for ${email}`}
            onClick={() => renew.send(undefined)}
          >
            New link
          </Button>
          <ConfirmButton
            label="Withdraw"
            ariaLabel={`Withdraw the invitation for ${email}`}
            size="compact-xs"
            reload={[['invitations']]}
            work={async () =>
              unwrap(
                await api.DELETE('/api/v1/orgs/{org_id}/invitations/{invitation_id}', {
                  params: { path: { org_id: org.id, invitation_id: id } },
                }),
              )
            }
          >
            The link sent to {email} will stop working.
          </ConfirmButton>
        </Group>
        {renew.error !== undefined && <FailureNotice error={renew.error} />}
      </Cell>
    </Table.Tr>
  )
}
