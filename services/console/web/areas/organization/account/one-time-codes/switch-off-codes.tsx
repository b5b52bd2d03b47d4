import { Text } from '@mantine/core'
import { useState } from 'react'
import { filled } from '../../../../parts/form/checks.ts'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { CurrentPassword } from '../../../../parts/form/password-fields.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { CodeField } from '../../../../parts/sign-in/code-field.tsx'
import { WRONG_CODE } from '../../../../parts/sign-in/use-code.ts'
import { api } from '../../../../session/api.ts'
import { useSession } from '../../../../session/use-session.ts'

const WRONG_PASSWORD = 'This is not your password.'

/** Needs password and code, because somebody else may sit at a signed-in page. */
export function SwitchOffCodes({ onClose }: { onClose: () => void }) {
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const send = useSend(() => api.delete('/api/v1/users/me/totp', { body: { password, code } }), {
    check: () => ({
      password: filled(password, 'Enter your password.'),
      code: filled(code, 'Enter a code.'),
    }),
    reload: [['me']],
    onDone: onClose,
  })
  const isRefused = (field: string) => send.error !== undefined && send.fields[field] !== undefined
  return (
    <FormModal opened onClose={onClose} title="Switch off one-time codes">
      <SendForm
        send={send}
        label="Switch off"
        color="red"
        onCancel={onClose}
        shownFields={['password', 'code']}
      >
        <Text size="sm">Your password alone is then enough to sign in. The recovery codes stop working.</Text>
        {/* Tells password managers whose password it is. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <CurrentPassword
          {...send.entry('password', password, setPassword)}
          {...(isRefused('password') && { error: WRONG_PASSWORD })}
          data-autofocus
        />
        <CodeField {...send.entry('code', code, setCode)} {...(isRefused('code') && { error: WRONG_CODE })} />
      </SendForm>
    </FormModal>
  )
}
