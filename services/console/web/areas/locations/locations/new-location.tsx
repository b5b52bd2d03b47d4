import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import type { components } from '@whereabouts/client/client'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import type { PickedLocation } from '../../../parts/locations/location-picker.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { useWanted } from '../../../parts/load/wanted.ts'
import { api } from '../../../session/api.ts'
import { LOCATION_FIELDS, type Location } from '../../../parts/locations/location-fields.ts'
import { Icon } from '../../../parts/page/icon.tsx'

type Props = { label: string; parent?: PickedLocation; variant?: 'filled' | 'default' }

export function NewLocation({ label, parent, variant = 'filled' }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  useWanted('new-location', () => parent === undefined && open())
  const onDone = (created: Location | undefined) => {
    close()
    if (created) notifications.show({ message: `Created ${created.name} (${created.external_key}).` })
  }
  return (
    <>
      <Button
        variant={variant}
        size={variant === 'filled' ? 'sm' : 'xs'}
        leftSection={<Icon of={IconPlus} size={16} />}
        onClick={open}
      >
        {label}
      </Button>
      <FormModal opened={isOpen} onClose={close} title="New location">
        <ResourceForm
          fields={LOCATION_FIELDS}
          known={{ parent_id: parent ?? null }}
          label="Create location"
          request={(body: components['schemas']['LocationCreate']) => api.post('/api/v1/locations', { body })}
          reload={[['locations'], ['location']]}
          onDone={onDone}
          onCancel={close}
        />
      </FormModal>
    </>
  )
}
