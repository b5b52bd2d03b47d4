import type { components } from '@whereabouts/client/client'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

export type ResetLink = { name: string; token: string; expires_at: string }

type Props = { member: components['schemas']['ListedMember']; onCreated: (link: ResetLink) => void }

/** For a member who forgot the password. */
export function ResetLinkButton({ member: { id, name }, onCreated }: Props) {
  const { org } = useSession()
  const path = { org_id: org.id, user_id: id }
  return (
    <ConfirmButton
      label="Reset link"
      ariaLabel={`Reset link for ${name}`}
      size="compact-sm"
      confirm="Create link"
      work={() => api.post('/api/v1/orgs/{org_id}/members/{user_id}/reset-link', { path })}
      explain={({ type }) =>
        type === 'conflict'
          ? {
              title: `${name} belongs to other organizations too`,
              detail: 'So only the people who run the server can make this link.',
            }
          : undefined
      }
      onDone={(link) => onCreated({ name, ...link })}
    >
      {`With the link, ${name} chooses a new password, without the old one. It works once, for an hour. Using it ends all sessions of ${name}.`}
    </ConfirmButton>
  )
}
