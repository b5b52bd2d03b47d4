import { Anchor, Group, Text, TextInput } from '@mantine/core'
import { Link, Navigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { filled } from '../../../parts/form/checks.ts'
import { CurrentPassword } from '../../../parts/form/password-fields.tsx'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { signIn } from '../../../session/session.ts'
import { useSessionState } from '../../../session/use-session.ts'
import { SignOn } from './sign-on.tsx'
import { ChooseOrganization } from './choose-organization.tsx'

/** Accepts only a path of this console, to prevent open redirects. */
const pathIn = (to: unknown) => (typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/')

export function SignIn() {
  const { to }: { to?: unknown } = useSearch({ strict: false })
  const [isSubmitted, setSubmitted] = useState(false)
  if (useSessionState().status !== 'signed-in') return <SignInForm onSubmit={() => setSubmitted(true)} />
  // Who was signed in before has chosen an organization before.
  return isSubmitted ? <ChooseOrganization to={pathIn(to)} /> : <Navigate to={pathIn(to)} replace />
}

function SignInForm({ onSubmit }: { onSubmit: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const send = useSend(() => signIn({ email: email.trim(), password }), {
    check: () => ({
      email: filled(email, 'Enter your email address.'),
      password: filled(password, 'Enter your password.'),
    }),
    explain: ({ type }) => (type === 'unauthorized' ? { title: 'Email or password is wrong' } : undefined),
  })
  return (
    <SignedOutPage title="Sign in">
      <SendForm
        send={send}
        label="Sign in"
        onSubmit={() => {
          onSubmit()
          send.send(undefined)
        }}
        shownFields={['email', 'password']}
      >
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          {...send.entry('email', email, setEmail)}
          autoFocus
          required
        />
        <CurrentPassword {...send.entry('password', password, setPassword)} />
      </SendForm>
      <SignOn onSubmit={onSubmit} />
      <Group justify="space-between" gap="xs">
        <Anchor component={Link} to="/forgot-password" size="sm" underline="always">
          Forgot password?
        </Anchor>
        <Text size="sm">
          No organization yet?{' '}
          <Anchor component={Link} to="/sign-up" underline="always">
            Sign up
          </Anchor>
        </Text>
      </Group>
    </SignedOutPage>
  )
}
