import { TextInput } from '@mantine/core'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { FormModal } from '../../parts/form-modal.tsx'
import { LocationPicker, type PickedLocation } from '../../parts/location-picker.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { WholeNumber } from '../../parts/whole-number.tsx'
import { api } from '../../session/api.ts'
import type { ScanPoint } from './use-scan-points.ts'

type Props = {
  readerId: number
  /** Undefined for a new scan point. */
  scanPoint?: ScanPoint
  nextAntenna: number
  onClose: () => void
}

/** Assigns an antenna to a location. */
export function ScanPointForm({ readerId, scanPoint, nextAntenna, onClose }: Props) {
  const [antenna, setAntenna] = useState<number | string>(scanPoint?.antenna ?? nextAntenna)
  const [name, setName] = useState(scanPoint?.name ?? `Antenna ${nextAntenna}`)
  const [location, setLocation] = useState<PickedLocation | null>(scanPoint?.location ?? null)
  const send = useSend(
    async () => {
      const body = { antenna: Number(antenna), name, location_id: location?.id ?? null }
      const path = { reader_id: readerId }
      if (!scanPoint)
        return unwrap(await api.POST('/api/v1/readers/{reader_id}/scan-points', { params: { path }, body }))
      return unwrap(
        await api.PATCH('/api/v1/readers/{reader_id}/scan-points/{scan_point_id}', {
          params: { path: { ...path, scan_point_id: scanPoint.id } },
          body,
        }),
      )
    },
    { reload: [['reader', readerId]], onDone: onClose },
  )
  return (
    <FormModal opened onClose={onClose} title={scanPoint ? `Edit ${scanPoint.name}` : 'Add scan point'}>
      <SendForm
        send={send}
        label={scanPoint ? 'Save' : 'Add scan point'}
        onSubmit={() => send.send(undefined)}
        onCancel={onClose}
        shownFields={['antenna', 'name', 'location_id']}
      >
        <WholeNumber
          label="Antenna"
          description="The number on the device. Bluetooth gateways and sleds use 1."
          maxLength={5}
          value={antenna}
          onChange={setAntenna}
          error={send.fields['antenna']}
          required
        />
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={send.fields['name']}
          autoComplete="off"
          required
        />
        <LocationPicker
          label="Location"
          description="Where this antenna reads. Without one, its reads move no asset."
          value={location}
          onChange={setLocation}
          error={send.fields['location_id']}
        />
      </SendForm>
    </FormModal>
  )
}
