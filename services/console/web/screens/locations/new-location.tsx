import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import type { PickedLocation } from '../../parts/location-picker.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { createBody, emptyDraft, type LocationDraft } from '../location/location-draft.ts'
import { LocationFields, SHOWN_FIELDS } from '../location/location-fields.tsx'

type Props = { label: string; parent?: PickedLocation; variant?: 'filled' | 'default' }

export function NewLocation({ label, parent, variant = 'filled' }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [draft, setDraft] = useState(() => emptyDraft(parent ?? null))
  const send = useSend(
    async (body: LocationDraft) =>
      unwrap(await api.POST('/api/v1/locations', { body: createBody(body) })).data,
    {
      reload: [['locations'], ['location']],
      onDone: ({ name, external_key }) => {
        setDraft(emptyDraft(parent ?? null))
        close()
        notifications.show({ message: `${name} is there, with the key ${external_key}.` })
      },
    },
  )
  return (
    <>
      <Button
        variant={variant}
        size={variant === 'filled' ? 'sm' : 'xs'}
        onClick={() => {
          send.reset()
          open()
        }}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title="New location">
        <SendForm
          send={send}
          label="Create"
          onSubmit={() => send.send(draft)}
          onCancel={close}
          shownFields={SHOWN_FIELDS}
        >
          <LocationFields
            draft={draft}
            onChange={(change) => setDraft({ ...draft, ...change })}
            fields={send.fields}
          />
        </SendForm>
      </Modal>
    </>
  )
}
