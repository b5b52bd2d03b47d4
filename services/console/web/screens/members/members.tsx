import { Alert, Button, Modal, Title } from '@mantine/core'
import { useState } from 'react'
import { Screen } from '../../parts/screen.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { useSession } from '../../session/use-session.ts'
import { Invitations } from './invitations.tsx'
import { InviteForm } from './invite-form.tsx'
import { MemberTable } from './member-table.tsx'

/** Who belongs to the organization, with which role, and who is invited. */
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
          advice="Send it to the person who is invited. Whoever has it can join in their name, so send it to nobody else."
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
        <Alert variant="light">Only administrators invite people and change roles.</Alert>
      )}
      <Modal opened={isInviting} onClose={() => setInviting(false)} title="Invite somebody">
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

/** Behind the `#`, so that no server on the way sees the token. */
const addressOf = (token: string) => `${location.origin}/accept-invitation#token=${token}`
