import { Alert, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { email as emailProblem, filled } from '../../../parts/form/checks.ts'
import { CurrentPassword } from '../../../parts/form/password-fields.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { useMe } from '../../../parts/load/use-me.ts'
import { Card } from '../../../parts/page/card.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

const WRONG = 'This is not your password.'
const NO_MAIL = 'This server sends no mail. Ask the people who run it.'

/** The address that the person signs in with: whether they have confirmed it, and how they change it. */
export function EmailCard() {
  const { user } = useSession()
  const me = useMe()
  return (
    <Card title="Email">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        You sign in with <b>{user.email}</b>.
      </Text>
      {me.data?.email_verified === false && <Unconfirmed email={user.email} />}
      <ChangeForm />
    </Card>
  )
}

function Unconfirmed({ email }: { email: string }) {
  const send = useSend(() => api.post('/api/v1/users/me/verification', {}))
  return (
    <Alert color="yellow" title="Your email address is not confirmed">
      {send.result ? (
        <Text size="sm" role="status">
          {send.result.mail === 'sent' ? `A mail is on its way to ${email}.` : NO_MAIL}
        </Text>
      ) : (
        <SendForm send={send} label="Send again" shownFields={[]}>
          <Text size="sm">
            Open the link in the mail to {email}. Until then, your invitations are not sent by mail.
          </Text>
        </SendForm>
      )}
    </Alert>
  )
}

function ChangeForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const send = useSend(
    () => api.post('/api/v1/users/me/email', { body: { email: email.trim(), password } }),
    {
      check: () => ({
        email: emailProblem(email),
        password: filled(password, 'Enter your password.'),
      }),
    },
  )
  if (send.result)
    return (
      <Text size="sm" role="status">
        {send.result.mail === 'sent'
          ? `Open the link in the mail to ${email.trim()}. Until then, your address stays as it is.`
          : NO_MAIL}
      </Text>
    )
  return (
    <SendForm send={send} label="Change address" shownFields={['email', 'password']}>
      <TextInput
        label="New email"
        type="email"
        autoComplete="email"
        {...send.entry('email', email, setEmail)}
        required
      />
      <CurrentPassword
        label="Your password"
        {...send.entry('password', password, setPassword)}
        {...(send.error !== undefined && send.fields['password'] !== undefined && { error: WRONG })}
      />
    </SendForm>
  )
}
