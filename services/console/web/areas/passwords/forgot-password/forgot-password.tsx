import { Anchor, List, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { filled } from '../../../parts/form/checks.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { openApi } from '../../../parts/load/open-api.ts'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'

/** Asks for a link by mail. Who else can help, because a server without a mail server sends none. */
export default function ForgotPassword() {
  const [email, setEmail] = useState('')
  const send = useSend(
    async () => {
      await openApi.post('/api/v1/auth/password/forgot', { body: { email: email.trim() } })
      return true
    },
    { check: () => ({ email: filled(email, 'Enter your email address.') }) },
  )
  return (
    <SignedOutPage title="Forgot your password?" lead="Get a link with which you choose a new one.">
      {send.result === true ? (
        <Text size="sm" role="status">
          If {email.trim()} has an account, a mail with a link is on its way.
        </Text>
      ) : (
        <SendForm send={send} label="Send link" shownFields={['email']}>
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            {...send.entry('email', email, setEmail)}
            required
          />
        </SendForm>
      )}
      <Text size="sm">If you get no mail:</Text>
      <List size="sm" spacing="sm">
        <List.Item>
          <b>Ask an administrator of your organization.</b> On the screen Members, “Reset link” at your name
          creates the link.
        </List.Item>
        <List.Item>
          <b>Are you the only administrator, or do you belong to several organizations?</b> Ask the people who
          run the server {location.host}. They find the command in the operating guide, under “A sole
          administrator lost the password”.
        </List.Item>
      </List>
      <Text size="sm">The link works once, for an hour. Do not pass it on: it opens your account.</Text>
      <Anchor component={Link} to="/sign-in" size="sm" underline="always">
        Back to sign-in
      </Anchor>
    </SignedOutPage>
  )
}
