import { Group, Table, Text } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { roleName } from '../../parts/roles.ts'
import { Cell } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { ResetLinkButton, type ResetLink } from './reset-link-button.tsx'
import { RoleSelect } from './role-select.tsx'

export type Member = components['schemas']['ListedMember']

type Props = { member: Member; isLastAdmin: boolean; onResetLink: (link: ResetLink) => void }

export function MemberRow({ member, isLastAdmin, onResetLink }: Props) {
  const { user, isAdmin } = useSession()
  const isMe = member.id === user.id
  return (
    <Table.Tr>
      <Cell>
        {member.name}
        {isMe && (
          <Text span size="sm" c="dimmed">
            {' '}
            (you)
          </Text>
        )}
      </Cell>
      <Cell label="Email">{member.email}</Cell>
      <Cell label="Role">
        {isAdmin && !isLastAdmin ? <RoleSelect member={member} /> : roleName(member.role)}
      </Cell>
      <Cell label="Joined">
        <When at={member.joined_at} as="day" />
      </Cell>
      {isAdmin && (
        <Cell label="Last sign-in">
          {member.last_signed_in_at === null ? 'Over 30 days ago' : <When at={member.last_signed_in_at} />}
        </Cell>
      )}
      <Cell align="right">
        {isLastAdmin && isMe ? (
          <Text size="xs" c="dimmed" maw={260} ml="auto">
            You are the only administrator. To leave, make somebody else administrator first.
          </Text>
        ) : (
          (isAdmin || isMe) && (
            <Group gap="xs" justify="flex-end">
              {!isMe && <ResetLinkButton member={member} onCreated={onResetLink} />}
              <RemoveButton member={member} isMe={isMe} />
            </Group>
          )
        )}
      </Cell>
    </Table.Tr>
  )
}

function RemoveButton({ member, isMe }: { member: Member; isMe: boolean }) {
  const { org } = useSession()
  return (
    <ConfirmButton
      label={isMe ? 'Leave' : 'Remove'}
      ariaLabel={isMe ? `Leave ${org.name}` : `Remove ${member.name}`}
      size="compact-xs"
      reload={isMe ? [] : [['members']]}
      work={async () =>
        unwrap(
          await api.DELETE('/api/v1/orgs/{org_id}/members/{user_id}', {
            params: { path: { org_id: org.id, user_id: member.id } },
          }),
        )
      }
      onDone={() => isMe && location.assign('/')}
    >
      {isMe
        ? 'You lose access immediately. To return, you need a new invitation.'
        : `${member.name} loses access immediately. The data they entered stays.`}
    </ConfirmButton>
  )
}
