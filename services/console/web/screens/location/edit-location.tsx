import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import type { PickedLocation } from '../../parts/location-picker.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { draftOf, type Location, patchBody } from './location-draft.ts'
import { LocationFields, SHOWN_FIELDS } from './location-fields.tsx'
import { RELOADED } from './reloaded.ts'

type Props = { location: Location; parent: PickedLocation | null }

export function EditLocation({ location, parent }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Edit ${location.name}`}>
        {isOpen && <EditForm location={location} parent={parent} onClose={close} />}
      </Modal>
    </>
  )
}

/** Begins with the location as it was when the form was opened: what changes meanwhile is not taken back. */
function EditForm({ location, parent, onClose }: Props & { onClose: () => void }) {
  const [before] = useState(() => draftOf(location, parent))
  const [draft, setDraft] = useState(before)
  const send = useSend(
    async () =>
      unwrap(
        await api.PATCH('/api/v1/locations/{location_id}', {
          params: { path: { location_id: location.id } },
          body: patchBody(before, draft),
        }),
      ),
    { reload: RELOADED, onDone: onClose },
  )
  return (
    <SendForm
      send={send}
      label="Save"
      onSubmit={() => send.send(undefined)}
      onCancel={onClose}
      shownFields={SHOWN_FIELDS}
    >
      <LocationFields
        draft={draft}
        onChange={(change) => setDraft({ ...draft, ...change })}
        fields={send.fields}
        self={location.id}
      />
    </SendForm>
  )
}
