import { Button, Group, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useMemo, useState } from 'react'
import { usePage } from '../../../parts/load/use-read.ts'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { roleFrom, roleName } from '../../../parts/things/roles.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import type { NewInvitation } from './invite-form.tsx'

const LIMIT = 20

type Invitation = components['schemas']['Invitation']
type Props = { onLink: (invitation: NewInvitation) => void }

/** Invitations that can still be accepted. */
export function Invitations({ onLink }: Props) {
  const { org } = useSession()
  const [offset, setOffset] = useState('0')
  const invitations = usePage(['invitations', offset], '/api/v1/orgs/{org_id}/invitations', {
    path: { org_id: org.id },
    query: { limit: LIMIT, offset: Number(offset) },
  })
  const columns = useMemo(() => columnsOf(onLink), [onLink])
  return (
    <PagedTable
      label="Open invitations"
      query={invitations}
      what="invitations"
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={820}
      empty={
        <EmptyState title="No open invitations">
          Invite people by their email address. You get a link to send to them.
        </EmptyState>
      }
      offset={offset}
      onOffset={setOffset}
    />
  )
}

const columnsOf = (onLink: Props['onLink']): readonly Column<Invitation>[] => [
  { label: 'Email', role: 'title', cell: (invitation) => <Email invitation={invitation} /> },
  { label: 'Role', cell: ({ role }) => roleName(role) },
  { label: 'Invited by', cell: ({ created_by_name: name }) => name },
  { label: 'Invited', cell: ({ created_at: at }) => <When at={at} /> },
  { label: 'Valid until', cell: ({ expires_at: at }) => <When at={at} as="day" /> },
  {
    label: 'Actions',
    role: 'actions',
    cell: (invitation) => <Actions invitation={invitation} onLink={onLink} />,
  },
]

function Email({ invitation: { email, mail_failed: hasFailed } }: { invitation: Invitation }) {
  return (
    <>
      {email}
      {hasFailed && (
        <Text size="xs" c="red">
          The mail did not arrive. Check the address, or send a new link yourself.
        </Text>
      )}
    </>
  )
}

function Actions({ invitation, onLink }: Props & { invitation: Invitation }) {
  const { org } = useSession()
  const { id, email, role } = invitation
  const renew = useSend(
    () =>
      api.post('/api/v1/orgs/{org_id}/invitations', {
        path: { org_id: org.id },
        body: { email, role: roleFrom(role) },
      }),
    { reload: [['invitations']], onDone: onLink },
  )
  return (
    <>
      <Group gap="xs" justify="flex-end">
        <Button
          variant="default"
          size="compact-sm"
          loading={renew.isSending}
          aria-label={`New link for ${email}`}
          onClick={() => renew.send(undefined)}
        >
          New link
        </Button>
        <ConfirmButton
          label="Withdraw"
          ariaLabel={`Withdraw the invitation for ${email}`}
          size="compact-sm"
          reload={[['invitations']]}
          work={() =>
            api.delete('/api/v1/orgs/{org_id}/invitations/{invitation_id}', {
              path: { org_id: org.id, invitation_id: id },
            })
          }
        >
          The link sent to {email} will stop working.
        </ConfirmButton>
      </Group>
      {renew.error !== undefined && <FailureNotice error={renew.error} />}
    </>
  )
}
