import type { components } from '@whereabouts/client/client'
import { Button, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

export type ResetLink = { name: string; token: string; expires_at: string }

type Props = { member: components['schemas']['ListedMember']; onCreated: (link: ResetLink) => void }

/** For a member who forgot the password. */
export function ResetLinkButton({ member, onCreated }: Props) {
  const { org } = useSession()
  const [isOpen, setOpen] = useState(false)
  const send = useSend(
    () =>
      api.post('/api/v1/orgs/{org_id}/members/{user_id}/reset-link', {
        path: { org_id: org.id, user_id: member.id },
      }),
    {
      explain: ({ type }) =>
        type === 'conflict'
          ? {
              title: `${member.name} belongs to other organizations too`,
              detail: 'So only the people who run the server can make this link.',
            }
          : undefined,
      onDone: (link) => {
        setOpen(false)
        onCreated({ name: member.name, ...link })
      },
    },
  )
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Reset link for ${member.name}`}
        onClick={() => {
          send.reset()
          setOpen(true)
        }}
      >
        Reset link
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Reset link for ${member.name}`}>
        <Stack>
          <Text size="sm">
            {`With the link, ${member.name} chooses a new password, without the old one. It works once, for an hour. Using it ends all sessions of ${member.name}.`}
          </Text>
          <SendForm send={send} label="Create link" onCancel={() => setOpen(false)}>
            {null}
          </SendForm>
        </Stack>
      </Modal>
    </>
  )
}
