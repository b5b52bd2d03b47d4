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
            value={form.current_password}
            onText={set('current_password')}
            error={
              send.error !== undefined && current !== undefined
                ? 'This is not your current password.'
                : current
            }
          />
        </Box>
        <Box>
          <NewPassword
            label="New password"
            value={form.new_password}
            onText={set('new_password')}
            error={send.fields['new_password']}
          />
        </Box>
      </SendForm>
    </Card>
  )
}
