import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { newPassword } from '../../../parts/form/checks.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { openApi, tokenInAddress } from '../../../parts/load/open-api.ts'
import { NewPassword } from '../../../parts/form/password-fields.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { useSend } from '../../../parts/form/use-send.ts'

const USELESS = {
  title: 'This link does not work any more',
  detail: 'It was used, is older than an hour, or was replaced by a newer one. Ask for a new link.',
}

/** For people with a reset link, of an administrator or of the operator. */
export default function ResetPassword() {
  const [token] = useState(tokenInAddress)
  const [password, setPassword] = useState('')
  const send = useSend(
    async () => {
      await openApi.post('/api/v1/auth/password/reset', { body: { token, password } })
      return true
    },
    {
      check: () => ({ password: newPassword(password) }),
      explain: ({ type }) => (type === 'unauthorized' ? USELESS : undefined),
    },
  )
  if (token === '')
    return (
      <SignedOutPage title="Choose a new password">
        <EmptyState title="The link is incomplete">Open the full link, or ask for a new one.</EmptyState>
      </SignedOutPage>
    )
  if (send.result === true)
    return (
      <SignedOutPage title="Password changed">
        <Text size="sm" role="status">
          You are signed out everywhere. Sign in with the new password.
        </Text>
        <Anchor component={Link} to="/sign-in" underline="always">
          Sign in
        </Anchor>
      </SignedOutPage>
    )
  return (
    <SignedOutPage title="Choose a new password" lead="It ends all your sessions, on every device.">
      <SendForm send={send} label="Change password" shownFields={['password']}>
        <NewPassword label="New password" {...send.entry('password', password, setPassword)} autoFocus />
      </SendForm>
    </SignedOutPage>
  )
}
