import { Group, Text, Select } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { ActivityLink } from '../audit/activity-link.tsx'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { roleFrom, roleName, ROLES, type Role } from '../../../parts/things/roles.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { ResetLinkButton, type ResetLink } from './reset-link-button.tsx'
import { failureOf } from '../../../parts/load/failure.ts'
import { useSend } from '../../../parts/form/use-send.ts'

export type Member = components['schemas']['ListedMember']

type Props = {
  isAdmin: boolean
  isLastAdmin: (member: Member) => boolean
  onResetLink: (link: ResetLink) => void
}

export const memberColumns = ({ isAdmin, isLastAdmin, onResetLink }: Props): readonly Column<Member>[] => [
  { label: 'Name', role: 'title', cell: (member) => <Name member={member} /> },
  { label: 'Email', cell: ({ email }) => email ?? 'Hidden from viewers' },
  {
    label: 'Role',
    cell: (member) =>
      isAdmin && !isLastAdmin(member) ? <RoleSelect member={member} /> : roleName(member.role),
  },
  { label: 'Joined', cell: ({ joined_at: at }) => <When at={at} as="day" /> },
  ...(isAdmin ? [LAST_SIGN_IN] : []),
  {
    label: 'Actions',
    role: 'actions',
    cell: (member) => <Actions member={member} isLastAdmin={isLastAdmin(member)} onResetLink={onResetLink} />,
  },
]

const LAST_SIGN_IN: Column<Member> = {
  label: 'Last sign-in',
  cell: ({ last_signed_in_at: at }) => (at === null ? 'Over 30 days ago' : <When at={at} />),
}

function Name({ member }: { member: Member }) {
  const { user } = useSession()
  return (
    <>
      {member.name}
      {member.id === user.id && (
        <Text span size="sm" c="dimmed">
          {' '}
          (you)
        </Text>
      )}
    </>
  )
}

type ActionsProps = { member: Member; isLastAdmin: boolean; onResetLink: (link: ResetLink) => void }

function Actions({ member, isLastAdmin, onResetLink }: ActionsProps) {
  const { user, isAdmin } = useSession()
  const isMe = member.id === user.id
  if (isLastAdmin && isMe)
    return (
      <Text size="xs" c="dimmed" maw={260} ml="auto">
        You are the only administrator. To leave, make somebody else administrator first.
      </Text>
    )
  if (!isAdmin && !isMe) return null
  return (
    <Group gap="xs" justify="flex-end">
      {isAdmin && <ActivityLink id={member.id} name={member.name} />}
      {!isMe && <ResetLinkButton member={member} onCreated={onResetLink} />}
      <RemoveButton member={member} isMe={isMe} />
    </Group>
  )
}

function RemoveButton({ member, isMe }: { member: Member; isMe: boolean }) {
  const { org } = useSession()
  return (
    <ConfirmButton
      label={isMe ? 'Leave' : 'Remove'}
      ariaLabel={isMe ? `Leave ${org.name}` : `Remove ${member.name}`}
      size="compact-sm"
      reload={isMe ? [] : [['members']]}
      work={() =>
        api.delete('/api/v1/orgs/{org_id}/members/{user_id}', {
          path: { org_id: org.id, user_id: member.id },
        })
      }
      onDone={() => isMe && location.assign('/')}
    >
      {isMe
        ? 'You lose access immediately. To return, you need a new invitation.'
        : `${member.name} loses access immediately. The data they entered stays.`}
    </ConfirmButton>
  )
}

const CHOICES = ROLES.map(({ value, name }) => ({ value, label: name }))

/** Changes the role immediately. The API refuses to demote the last administrator. */
function RoleSelect({ member }: { member: Member }) {
  const { org } = useSession()
  const send = useSend(
    (role: Role) =>
      api.patch('/api/v1/orgs/{org_id}/members/{user_id}', {
        path: { org_id: org.id, user_id: member.id },
        body: { role },
      }),
    { reload: [['members']] },
  )
  const failure = send.error === undefined ? undefined : failureOf(send.error)
  return (
    <Select
      aria-label={`Role of ${member.name}`}
      size="xs"
      w={160}
      data={CHOICES}
      value={member.role}
      allowDeselect={false}
      disabled={send.isSending}
      error={failure && [failure.title, failure.detail].filter((text) => text !== undefined).join('. ')}
      onChange={(role) => role !== member.role && send.send(roleFrom(role))}
    />
  )
}
