import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { atMost, filled, firstOf } from '../../../parts/form/checks.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { findSession } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { sayDone } from '../account/say-done.ts'
import { zonesWith } from './zones.ts'

export type Named = { name: string; timezone: string }

/** The name that everybody in the organization sees, and the time zone of its days. For administrators. */
export function NameForm({ current }: { current: Named }) {
  const { org } = useSession()
  const [name, setName] = useState(current.name)
  const [timezone, setTimezone] = useState(current.timezone)
  const body = {
    ...(name.trim() !== current.name && { name: name.trim() }),
    ...(timezone !== current.timezone && { timezone }),
  }
  const send = useSend(
    async () => {
      await api.patch('/api/v1/orgs/{org_id}', { path: { org_id: org.id }, body })
      await findSession() // the header shows the name of the session
    },
    {
      check: () => ({
        name: firstOf(filled(name, 'Enter the name of your organization.'), atMost(name, 255)),
      }),
      reload: [['me'], ['sessions'], ['organization'], ['audit']],
      onDone: () => sayDone('Saved.'),
    },
  )
  return (
    <SendForm
      send={send}
      label="Save"
      isDisabled={Object.keys(body).length === 0}
      shownFields={['name', 'timezone']}
    >
      <TextInput label="Name of the organization" {...send.entry('name', name, setName)} required />
      <Select
        label="Time zone"
        description="Days of reports and rules begin at midnight there. Screens show the time zone of each person."
        data={zonesWith(current.timezone)}
        value={timezone}
        onChange={(zone) => setTimezone(zone ?? current.timezone)}
        error={send.fields['timezone']}
        allowDeselect={false}
        searchable
        nothingFoundMessage="No such time zone"
      />
    </SendForm>
  )
}
