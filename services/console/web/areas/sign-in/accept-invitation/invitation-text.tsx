import { Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { roleMeaning, roleName } from '../../../parts/things/roles.ts'
import { dayTime } from '../../../parts/time/times.ts'

export type Invitation = components['schemas']['InvitationDescription']

/** Who invites whom, as what, and until when. */
export const InvitationText = ({ invitation }: { invitation: Invitation }) => (
  <>
    <Text size="sm" c="inherit" style={{ overflowWrap: 'anywhere' }}>
      {invitation.invited_by} invites <b>{invitation.email}</b> to {invitation.org.name} as{' '}
      <b>{roleName(invitation.role)}</b>. {roleMeaning(invitation.role)}
    </Text>
    <Text size="sm" c="inherit" mt={4}>
      The invitation is valid until {dayTime(invitation.expires_at)}.
    </Text>
  </>
)
