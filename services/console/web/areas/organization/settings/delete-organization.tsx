import { Anchor, Button, Group, List, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

/** For administrators: ends the organization. They type its name, so that a click alone is not enough. */
export function DeleteOrganization() {
  const { org } = useSession()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Card title="Delete the organization">
      <Text size="sm">
        Everything in {org.name} is deleted: assets, locations, history, readers, API keys and people’s
        access.
      </Text>
      <Group>
        <Button variant="default" onClick={open}>
          Delete organization…
        </Button>
      </Group>
      <FormModal opened={isOpen} onClose={close} title={`Delete ${org.name}`}>
        <DeleteForm onClose={close} />
      </FormModal>
    </Card>
  )
}

function DeleteForm({ onClose }: { onClose: () => void }) {
  const { org } = useSession()
  const [name, setName] = useState('')
  const send = useSend(
    () => api.delete('/api/v1/orgs/{org_id}', { path: { org_id: org.id }, body: { name: name.trim() } }),
    {
      check: () => ({
        name: name.trim() === org.name ? undefined : `Type ${org.name} to confirm.`,
      }),
      onDone: () => location.assign('/sign-in'),
    },
  )
  return (
    <SendForm send={send} label="Delete organization" color="red" onCancel={onClose} shownFields={['name']}>
      <List size="sm">
        <List.Item>Everybody is signed out within a second, and API keys and readers stop working.</List.Item>
        <List.Item>
          All data is gone within a day. Backups of this server keep copies for a while:{' '}
          <Anchor href="/docs/data-protection" underline="always" inherit>
            until when
          </Anchor>
          .
        </List.Item>
        <List.Item>Your account stays. You can be invited to other organizations.</List.Item>
        <List.Item>This cannot be undone.</List.Item>
      </List>
      <TextInput
        label="Name of the organization"
        description={`Type ${org.name} to confirm.`}
        {...send.entry('name', name, setName)}
        data-autofocus
        required
      />
    </SendForm>
  )
}
