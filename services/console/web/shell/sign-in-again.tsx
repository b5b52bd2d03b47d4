import { Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SendForm } from '../parts/send-form.tsx'
import { useSend } from '../parts/use-send.ts'
import { type Session, signIn } from '../session/session.ts'

/** Opens over the screen, which keeps typed text. Pending requests continue after sign-in. */
export function SignInAgain({ session: { user, org } }: { session: Session }) {
  const [password, setPassword] = useState('')
  const send = useSend(() => signIn({ email: user.email, password }))
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      title="Sign in again"
    >
      <SendForm send={send} label="Sign in" onSubmit={() => send.send(undefined)} shownFields={['password']}>
        <Text size="sm">
          {`Your session in ${org.name} has ended. Sign in to continue where you left off.`}
        </Text>
        <TextInput label="Email" value={user.email} readOnly autoComplete="username" />
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          error={send.fields['password']}
          data-autofocus
          required
        />
      </SendForm>
    </Modal>
  )
}
