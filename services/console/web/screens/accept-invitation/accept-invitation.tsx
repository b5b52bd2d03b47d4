import { PasswordInput, Text, TextInput } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SignedOutPage } from '../../parts/signed-out-page.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { acceptInvitation } from '../../session/session.ts'

/** Browsers do not send the part after `#` to the server, so that no log contains the token. */
const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

export function AcceptInvitation() {
  const [token] = useState(tokenInAddress)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const send = useSend(() =>
    acceptInvitation({ token, ...(name !== '' && { name }), ...(password !== '' && { password }) }).then(
      () => true,
    ),
  )
  if (send.result === true) return <Navigate to="/" replace />
  if (token === '')
    return (
      <SignedOutPage title="Join an organization">
        <EmptyState title="The link is incomplete">
          Open the full link from your invitation, or ask for a new one.
        </EmptyState>
      </SignedOutPage>
    )
  return (
    <SignedOutPage title="Join an organization">
      <SendForm
        send={send}
        label="Join"
        onSubmit={() => send.send(undefined)}
        shownFields={['name', 'password']}
      >
        <Text size="sm">Already have an account? Enter its password and leave the name empty.</Text>
        <TextInput
          label="Your name"
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={send.fields['name']}
        />
        <PasswordInput
          label="Password"
          description="Your current password, or a new one with at least 10 characters"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={send.fields['password']}
        />
      </SendForm>
    </SignedOutPage>
  )
}
