import { Select } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { failureOf } from '../../../parts/load/failure.ts'
import { ROLES, type Role } from '../../../parts/things/roles.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

const CHOICES = ROLES.map(({ value, name }) => ({ value, label: name }))

/** Changes the role immediately. The API refuses to demote the last administrator. */
export function RoleSelect({ member }: { member: components['schemas']['Member'] }) {
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
      onChange={(role) => role !== member.role && send.send(role === 'admin' ? 'admin' : 'member')}
    />
  )
}
