import { Box } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { filled, firstOf, newPassword } from '../../../parts/form/checks.ts'
import { CurrentPassword, NewPassword } from '../../../parts/form/password-fields.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { sayDone } from './say-done.ts'

const WRONG = 'This is not your current password.'
const EMPTY = { current_password: '', new_password: '' }

export function PasswordCard() {
  const { user } = useSession()
  const [form, setForm] = useState(EMPTY)
  const set = (name: keyof typeof EMPTY) => (value: string) =>
    setForm((before) => ({ ...before, [name]: value }))
  const send = useSend(() => api.post('/api/v1/users/me/password', { body: form }), {
    check: () => ({
      current_password: filled(form.current_password, 'Enter your current password.'),
      new_password: firstOf(
        newPassword(form.new_password, user.email),
        form.new_password === form.current_password
          ? 'Choose a password that differs from your current one.'
          : undefined,
      ),
    }),
    reload: [['sessions']],
    onDone: () => {
      setForm(EMPTY)
      sayDone('Password changed. Your other sessions have ended.')
    },
  })
  const { current_password: current } = send.fields
  return (
    <Card title="Password">
      <SendForm send={send} label="Change password" shownFields={Object.keys(EMPTY)}>
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <Box>
          <CurrentPassword
            label="Current password"
            {...send.entry('current_password', form.current_password, set('current_password'))}
            {...(send.error !== undefined && current !== undefined && { error: WRONG })}
          />
        </Box>
        <Box>
          <NewPassword
            label="New password"
            {...send.entry('new_password', form.new_password, set('new_password'))}
          />
        </Box>
      </SendForm>
    </Card>
  )
}
