import { Anchor, Modal, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { filled } from '../parts/form/checks.ts'
import { CurrentPassword } from '../parts/form/password-fields.tsx'
import { SendForm } from '../parts/form/send-form.tsx'
import { useSend } from '../parts/form/use-send.ts'
import { type Session, signIn } from '../session/session.ts'

/** Opens over the screen, which keeps typed text. Pending requests continue after sign-in. */
export function SignInAgain({ session: { user, org } }: { session: Session }) {
  const [password, setPassword] = useState('')
  // Into the same organization: in another one, the screen below would be lost.
  const send = useSend(() => signIn({ email: user.email, password, org_id: org.id }), {
    check: () => ({ password: filled(password, 'Enter your password.') }),
    explain: ({ type }) => (type === 'unauthorized' ? { title: 'The password is wrong' } : undefined),
  })
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      zIndex={400} // above the dialog of a form
      title="Sign in again"
    >
      <SendForm send={send} label="Sign in" shownFields={['password']}>
        <Text size="sm">
          {`Your session in ${org.name} has ended. Sign in to continue where you left off.`}
        </Text>
        <TextInput label="Email" value={user.email} readOnly autoComplete="username" />
        <CurrentPassword {...send.entry('password', password, setPassword)} autoFocus />
        <Anchor href="/forgot-password" target="_blank" size="sm" underline="always">
          Forgot password?
        </Anchor>
      </SendForm>
    </Modal>
  )
}
