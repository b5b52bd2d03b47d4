import { Alert, Button, Modal, Title } from '@mantine/core'
import { useState } from 'react'
import { Screen } from '../../parts/screen.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { useSession } from '../../session/use-session.ts'
import { Invitations } from './invitations.tsx'
import { InviteForm } from './invite-form.tsx'
import { MemberTable } from './member-table.tsx'

/** Members of the organization with their roles, and open invitations. */
export default function MembersScreen() {
  const { isAdmin, org } = useSession()
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<{ email: string; token: string }>()
  return (
    <Screen
      title="Members"
      lead={`People who can sign in to ${org.name}`}
      actions={isAdmin && <Button onClick={() => setInviting(true)}>Invite</Button>}
    >
      {link && (
        <SecretOnce
          secrets={[{ label: `Invitation link for ${link.email}`, value: addressOf(link.token) }]}
          onStored={() => setLink(undefined)}
          storedLabel="I have sent it"
          advice="Send it only to the invited person. Anyone with this link can join in their name."
        />
      )}
      <MemberTable />
      {isAdmin ? (
        <section aria-label="Invitations">
          <Title order={2} size="h4" mb="xs">
            Invitations
          </Title>
          <Invitations />
        </section>
      ) : (
        <Alert variant="light">Only administrators can invite people and change roles.</Alert>
      )}
      <Modal opened={isInviting} onClose={() => setInviting(false)} title="Invite a member">
        <InviteForm
          onCancel={() => setInviting(false)}
          onInvited={(invitation) => {
            setInviting(false)
            setLink(invitation)
          }}
        />
      </Modal>
    </Screen>
  )
}

/** The token follows `#`, so that browsers send it to no server. */
const addressOf = (token: string) => `${location.origin}/accept-invitation#token=${token}`
