import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { atMost, filled, firstOf } from '../../../parts/form/checks.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { findSession } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { sayDone } from './say-done.ts'

export function NameCard() {
  const { user } = useSession()
  const [name, setName] = useState(user.name)
  const send = useSend(
    async () => {
      await api.patch('/api/v1/users/me', { body: { name: name.trim() } })
      await findSession() // the header shows the name of the session
    },
    {
      check: () => ({ name: firstOf(filled(name, 'Enter your name.'), atMost(name, 255)) }),
      reload: [['me'], ['members']],
      onDone: () => sayDone('Name changed.'),
    },
  )
  return (
    <Card title="Your details">
      <SendForm send={send} label="Save name" shownFields={['name']}>
        <TextInput
          label="Your name"
          autoComplete="name"

          {...send.entry('name', name, setName)}
          required
        />
      </SendForm>
    </Card>
  )
}
