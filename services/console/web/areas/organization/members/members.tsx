import { Alert, Button, Title } from '@mantine/core'
import { useState } from 'react'
import IconUserPlus from '@tabler/icons-react/icons/IconUserPlus'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'
import { addressWithToken } from '../../../parts/load/open-api.ts'
import { roleName } from '../../../parts/things/roles.ts'
import { useWanted } from '../../../parts/load/wanted.ts'
import { dayTime } from '../../../parts/time/times.ts'
import { useSession } from '../../../session/use-session.ts'
import { Invitations } from './invitations.tsx'
import { InviteForm, type NewInvitation } from './invite-form.tsx'
import { MemberTable } from './member-table.tsx'
import type { ResetLink } from './reset-link-button.tsx'
import { Icon } from '../../../parts/page/icon.tsx'

/** Shown once, until it is handed over. */
type Link = { key: string; label: string; address: string; advice: string }

/** Members of the organization with their roles, and open invitations. */
export default function MembersScreen() {
  const { isAdmin, org } = useSession()
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<Link>()
  useWanted('invite', () => isAdmin && setInviting(true))
  return (
    <Screen
      title="Members"
      lead={`People who can sign in to ${org.name}`}
      actions={
        isAdmin && (
          <Button leftSection={<Icon of={IconUserPlus} size={16} />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {link && (
        <SecretOnce
          key={link.key}
          secrets={[{ label: link.label, value: link.address }]}
          onStored={() => setLink(undefined)}
          storedLabel="I have sent it"
          advice={link.advice}
        />
      )}
      <MemberTable onResetLink={(made) => setLink(resetLinkOf(made))} />
      {isAdmin ? (
        <section aria-label="Invitations">
          <Title order={2} size="h4" mb="xs">
            Invitations
          </Title>
          <Invitations onLink={(made) => setLink(invitationLinkOf(made, org.name))} />
        </section>
      ) : (
        <Alert variant="light">Only administrators can invite people and change roles.</Alert>
      )}
      <FormModal opened={isInviting} onClose={() => setInviting(false)} title="Invite a member">
        <InviteForm
          onCancel={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false)
            setLink(invitationLinkOf(made, org.name))
          }}
        />
      </FormModal>
    </Screen>
  )
}

const invitationLinkOf = (made: NewInvitation, organization: string): Link => ({
  key: made.token,
  label: `Invitation link for ${made.email}`,
  address: addressWithToken('/accept-invitation', made.token),
  advice:
    `${mailText(made)} Anyone with this link can join ${organization} in their name, as ` +
    `${roleName(made.role)}. It is from ${made.created_by_name} and works once, until ${dayTime(made.expires_at)}.`,
})

/** What became of the mail, and what is left to do for the administrator. */
function mailText({ mail, email }: NewInvitation): string {
  if (mail === 'sent') return `A mail with a link is on its way to ${email}. You can also send this one.`
  if (mail === 'address not verified')
    return `No mail was sent, because your own address is not confirmed (see Account). Send the link only to ${email}.`
  return `This server sends no mail. Send the link only to ${email}.`
}

const resetLinkOf = ({ name, token, expires_at: until }: ResetLink): Link => ({
  key: token,
  label: `Reset link for ${name}`,
  address: addressWithToken('/reset-password', token),
  advice: `Give it only to ${name}: it opens their account. It works once, until ${dayTime(until)}.`,
})
