import { Anchor, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { atMost, filled, firstOf, newPassword } from '../../parts/checks.ts'
import { CurrentPassword, NewPassword } from '../../parts/password-fields.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { acceptInvitation } from '../../session/session.ts'
import type { Invitation } from './invitation-text.tsx'

type Props = { token: string; invitation: Invitation; onJoined: () => void }

/** For people who are not signed in: with an account they give its password, otherwise a name and a new password. */
export function JoinAsGuest({ token, invitation: { email, has_account: hasAccount }, onJoined }: Props) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const send = useSend(
    () => acceptInvitation({ token, password, ...(!hasAccount && { name: name.trim() }) }),
    {
      check: () =>
        hasAccount
          ? { password: filled(password, 'Enter your password.') }
          : {
              name: firstOf(filled(name, 'Enter your name.'), atMost(name, 255)),
              password: newPassword(password, email),
            },
      explain: ({ detail }) => whyNot(detail),
      onDone: onJoined,
    },
  )
  return (
    <SendForm
      send={send}
      label="Join"
      onSubmit={() => send.send(undefined)}
      shownFields={hasAccount ? ['password'] : ['name', 'password']}
    >
      {hasAccount && <Text size="sm">You have an account with this email address. Enter its password.</Text>}
      <TextInput label="Email" type="email" value={email} autoComplete="username" readOnly />
      {!hasAccount && (
        <TextInput
          label="Your name"
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={send.fields['name']}
          autoFocus
          required
        />
      )}
      {hasAccount ? (
        <CurrentPassword value={password} onText={setPassword} error={send.fields['password']} autoFocus />
      ) : (
        <NewPassword value={password} onText={setPassword} error={send.fields['password']} />
      )}
      {hasAccount && (
        <Anchor component={Link} to="/forgot-password" size="sm" underline="always">
          Forgot password?
        </Anchor>
      )}
    </SendForm>
  )
}

/** The failures of `acceptInvitation` that are not of a field. */
function whyNot(detail: string): { title: string; detail?: string } | undefined {
  if (detail === 'Invalid email or password') return { title: 'The password is wrong' }
  if (detail === 'Invalid or expired invitation')
    return {
      title: 'This invitation does not work any more',
      detail: 'It was used, has expired or was withdrawn.',
    }
  return undefined
}
