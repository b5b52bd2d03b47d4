import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { components } from '@whereabouts/client/client'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import type { PickedLocation } from '../../../parts/locations/location-picker.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { api } from '../../../session/api.ts'
import { LOCATION_FIELDS, type Location } from '../../../parts/locations/location-fields.ts'
import { RELOADED } from '../../../parts/locations/reloaded.ts'

type Props = { location: Location; parent: PickedLocation | null }

export function EditLocation({ location, parent }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit
      </Button>
      <FormModal opened={isOpen} onClose={close} title={`Edit ${location.name}`}>
        <ResourceForm
          fields={LOCATION_FIELDS}
          resource={location}
          known={{ parent_id: parent }}
          label="Save"
          request={(body: components['schemas']['LocationPatch']) =>
            api.patch('/api/v1/locations/{location_id}', { path: { location_id: location.id }, body })
          }
          reload={RELOADED}
          onDone={close}
          onCancel={close}
        />
      </FormModal>
    </>
  )
}
