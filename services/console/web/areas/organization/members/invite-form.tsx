import { Select, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { email as emailProblem } from '../../../parts/form/checks.ts'
import { roleFrom, ROLES, roleMeaning, type Role } from '../../../parts/things/roles.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

export type NewInvitation = components['schemas']['InvitationCreated']

const CHOICES = ROLES.map(({ value, name }) => ({ value, label: name }))

type Props = { onInvited: (invitation: NewInvitation) => void; onCancel: () => void }

export function InviteForm({ onInvited, onCancel }: Props) {
  const { org } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const send = useSend(
    () =>
      api.post('/api/v1/orgs/{org_id}/invitations', {
        path: { org_id: org.id },
        body: { email: email.trim(), role },
      }),
    {
      check: () => ({ email: emailProblem(email) }),
      explain: ({ type }) =>
        type === 'conflict' ? { title: 'A person with this email address is already a member' } : undefined,
      reload: [['invitations']],
      onDone: onInvited,
    },
  )
  return (
    <SendForm send={send} label="Create invitation" onCancel={onCancel} shownFields={['email', 'role']}>
      <TextInput
        label="Email"
        type="email"
        {...send.entry('email', email, setEmail)}
        data-autofocus
        required
      />
      <Select
        label="Role"
        description={roleMeaning(role)}
        data={CHOICES}
        value={role}
        allowDeselect={false}
        onChange={(value) => setRole(roleFrom(value))}
        error={send.fields['role']}
      />
    </SendForm>
  )
}
