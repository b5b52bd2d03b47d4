import { Button, Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import type { Location } from './location-draft.ts'
import { RELOADED } from './reloaded.ts'

/** Another external key: by it other systems know the location, so it is not one of the fields that are edited. */
export function RenameLocation({ location: { id, external_key } }: { location: Location }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const [key, setKey] = useState(external_key)
  const send = useSend(
    async () =>
      unwrap(
        await api.POST('/api/v1/locations/{location_id}/rename', {
          params: { path: { location_id: id } },
          body: { external_key: key },
        }),
      ),
    { reload: RELOADED, onDone: close },
  )
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setKey(external_key)
          send.reset()
          open()
        }}
      >
        Rename key
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Rename ${external_key}`}>
        <SendForm
          send={send}
          label="Rename"
          onSubmit={() => send.send(undefined)}
          onCancel={close}
          shownFields={['external_key']}
        >
          <TextInput
            label="External key"
            description="Systems that know the location by its key have to be told the new one."
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={send.fields['external_key']}
            spellCheck={false}
            required
            data-autofocus
          />
        </SendForm>
      </Modal>
    </>
  )
}
