import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { atMost, filled, firstOf } from '../../../parts/form/checks.ts'
import { roleMeaning, roleName } from '../../../parts/things/roles.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { findSession } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { sayDone } from './say-done.ts'

/** The organization of the session, and what the person may do there. Administrators rename it. */
export function OrganizationCard() {
  const { user, org, isAdmin } = useSession()
  return (
    <Card title="Organization">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Your role in <b>{org.name}</b> is <b>{roleName(user.role)}</b>. {roleMeaning(user.role)}
      </Text>
      {isAdmin ? (
        <RenameForm id={org.id} current={org.name} />
      ) : (
        <Text size="sm" c="dimmed">
          Administrators can rename the organization.
        </Text>
      )}
    </Card>
  )
}

function RenameForm({ id, current }: { id: number; current: string }) {
  const [name, setName] = useState(current)
  const send = useSend(
    async () => {
      await api.patch('/api/v1/orgs/{org_id}', { path: { org_id: id }, body: { name: name.trim() } })
      await findSession() // the header shows the name of the session
    },
    {
      check: () => ({
        name: firstOf(filled(name, 'Enter the name of your organization.'), atMost(name, 255)),
      }),
      reload: [['me'], ['sessions']],
      onDone: () => sayDone('Organization renamed.'),
    },
  )
  return (
    <SendForm send={send} label="Rename" shownFields={['name']}>
      <TextInput
        label="Name of the organization"

        {...send.entry('name', name, setName)}
        required
      />
    </SendForm>
  )
}
