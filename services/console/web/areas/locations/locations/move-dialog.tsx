import { Text } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { LocationPicker, type PickedLocation } from '../../../parts/locations/location-picker.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import type { Location } from '../../../parts/locations/location-fields.ts'

type Props = {
  location: Pick<Location, 'id' | 'name' | 'parent_id' | 'parent_external_key'>
  /** The drop target: null is the top level, undefined is not chosen yet. */
  to: PickedLocation | null | undefined
  onClose: () => void
}

/** Confirms the move of a location with its sub-locations. */
export function MoveDialog({ location, to, onClose }: Props) {
  const [target, setTarget] = useState<PickedLocation | null>(to ?? null)
  const { id, name, parent_id, parent_external_key: from } = location
  const send = useSend(
    (parent: PickedLocation | null) =>
      api.patch('/api/v1/locations/{location_id}', {
        path: { location_id: id },
        body: { parent_id: parent?.id ?? null },
      }),
    { reload: [['locations'], ['location'], ['occupancy']], onDone: onClose },
  )
  const isSame = (target?.id ?? null) === parent_id
  const destination = target ? `${target.name} (${target.external_key})` : 'the top level'
  return (
    <FormModal opened onClose={onClose} title={`Move ${name}`}>
      <SendForm
        send={send}
        label="Move"
        onSubmit={() => send.send(target)}
        onCancel={onClose}
        isDisabled={isSame}
        shownFields={['parent_id']}
      >
        <LocationPicker
          label="Move to"
          description="Leave empty to move it to the top level."
          value={target}
          onChange={setTarget}
          exclude={id}
          error={send.fields['parent_id']}
        />
        <Text size="sm" role="status">
          {isSame
            ? `Already ${from === null ? 'at the top level' : `in ${from}`}.`
            : `From ${from ?? 'the top level'} to ${destination}, with all sub-locations.`}
        </Text>
      </SendForm>
    </FormModal>
  )
}
