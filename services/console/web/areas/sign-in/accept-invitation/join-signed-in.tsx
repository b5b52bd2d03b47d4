import { Stack, Text } from '@mantine/core'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { type Session, signOut, switchOrganization } from '../../../session/session.ts'
import type { Invitation } from './invitation-text.tsx'

type Props = { token: string; invitation: Invitation; user: Session['user'] }

/** Invited people who are signed in only confirm. Others are offered to sign out first. */
export function JoinSignedIn({ token, invitation: { org, email }, user }: Props) {
  const isInvited = user.email.toLowerCase() === email.toLowerCase()
  const join = useSend(async () => {
    await api.post('/api/v1/auth/join', { body: { token } })
    await switchOrganization(org.id)
  })
  // The reload continues with this invitation, signed out.
  const leave = useSend(() => signOut(() => location.reload()))
  const who = `${user.name} (${user.email})`
  return isInvited ? (
    <SendForm send={join} label="Join">
      <Text size="sm">{`You are signed in as ${who}.`}</Text>
    </SendForm>
  ) : (
    <SendForm send={leave} label="Sign out and continue">
      <Stack gap="xs">
        <Text size="sm">
          You are signed in as <b>{who}</b>, but the invitation is for <b>{email}</b>.
        </Text>
        <Text size="sm">To accept it, sign out first. You come back to this page.</Text>
      </Stack>
    </SendForm>
  )
}
