import { Anchor, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { filled } from '../parts/form/checks.ts'
import { CurrentPassword } from '../parts/form/password-fields.tsx'
import { SendForm } from '../parts/form/send-form.tsx'
import { useSend } from '../parts/form/use-send.ts'
import { CodeField } from '../parts/sign-in/code-field.tsx'
import { SignOnButton } from '../parts/sign-in/sign-on-button.tsx'
import { useSignOnState } from '../parts/sign-in/sign-on-state.ts'
import { useCode } from '../parts/sign-in/use-code.ts'
import { type Session, signIn } from '../session/session.ts'

/** Opens over the screen, which keeps typed text. Pending requests continue after sign-in. */
export function SignInAgain({ session }: { session: Session }) {
  const { data: signOn } = useSignOnState()
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      zIndex={400} // above the dialog of a form
      title="Sign in again"
    >
      <Stack gap="sm">
        <Text size="sm">
          {`Your session in ${session.org.name} has ended. Sign in to continue where you left off.`}
        </Text>
        {!signOn?.required && <PasswordForm session={session} />}
        {/* In another tab, because this one would lose what is typed. It continues when that one is signed in. */}
        {signOn?.enabled && <SignOnButton isMain={signOn.required} isInNewTab />}
      </Stack>
    </Modal>
  )
}

function PasswordForm({ session: { user, org } }: { session: Session }) {
  const [password, setPassword] = useState('')
  const { code, setCode, checks, open } = useCode()
  // Into the same organization: in another one, the screen below would be lost.
  const send = useSend(
    () => open((sent) => signIn({ email: user.email, password, org_id: org.id, ...sent })),
    {
      check: () => ({ password: filled(password, 'Enter your password.'), ...checks }),
      explain: ({ type }) => (type === 'unauthorized' ? { title: 'The password is wrong' } : undefined),
    },
  )
  return (
    <SendForm send={send} label="Sign in" shownFields={['password', 'code']}>
      <TextInput label="Email" value={user.email} readOnly autoComplete="username" />
      <CurrentPassword {...send.entry('password', password, setPassword)} autoFocus />
      {code !== undefined && <CodeField {...send.entry('code', code, setCode)} autoFocus />}
      <Anchor href="/forgot-password" target="_blank" size="sm" underline="always">
        Forgot password?
      </Anchor>
    </SendForm>
  )
}
