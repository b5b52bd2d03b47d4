import { Anchor, PasswordInput, Text, TextInput } from '@mantine/core'
import { Link, Navigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { SignedOutPage } from '../../parts/signed-out-page.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { signIn } from '../../session/session.ts'
import { useSessionState } from '../../session/use-session.ts'

/** Accepts only a path of this console, to prevent open redirects. */
const pathIn = (to: unknown) => (typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/')

export function SignIn() {
  const { to }: { to?: unknown } = useSearch({ strict: false })
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const send = useSend(() => signIn({ email, password }))
  if (useSessionState().status === 'signed-in') return <Navigate to={pathIn(to)} replace />
  return (
    <SignedOutPage title="Sign in">
      <SendForm
        send={send}
        label="Sign in"
        onSubmit={() => send.send(undefined)}
        shownFields={['email', 'password']}
      >
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={send.fields['email']}
          autoFocus
          required
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={send.fields['password']}
          required
        />
      </SendForm>
      <Text size="sm">
        No organization yet?{' '}
        <Anchor component={Link} to="/sign-up" underline="always">
          Sign up
        </Anchor>
      </Text>
    </SignedOutPage>
  )
}
