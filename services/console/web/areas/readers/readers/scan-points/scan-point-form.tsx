import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { LocationPicker, type PickedLocation } from '../../../../parts/locations/location-picker.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { WholeNumber } from '../../../../parts/form/whole-number.tsx'
import { api } from '../../../../session/api.ts'
import { strengthBody, strengthChecks, typedOf } from './scan-point-strength.ts'
import type { ScanPoint } from '../../../connect/use-scan-points.ts'

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
  const [strength, setStrength] = useState(typedOf(scanPoint ?? { minimum: null, offset: 0 }))
  const send = useSend(
    async () => {
      const place = { antenna: Number(antenna), name, location_id: location?.id ?? null }
      const body = { ...place, ...strengthBody(strength) }
      const path = { reader_id: readerId }
      if (!scanPoint) return api.post('/api/v1/readers/{reader_id}/scan-points', { path, body })
      return api.patch('/api/v1/readers/{reader_id}/scan-points/{scan_point_id}', {
        path: { ...path, scan_point_id: scanPoint.id },
        body,
      })
    },
    { check: () => strengthChecks(strength), reload: [['reader', readerId]], onDone: onClose },
  )
  return (
    <FormModal opened onClose={onClose} title={scanPoint ? `Edit ${scanPoint.name}` : 'Add scan point'}>
      <SendForm
        send={send}
        label={scanPoint ? 'Save' : 'Add scan point'}
        onCancel={onClose}
        shownFields={['antenna', 'name', 'location_id', 'min_rssi_dbm', 'rssi_offset_db']}
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
        <TextInput label="Name" {...send.entry('name', name, setName)} autoComplete="off" required />
        <LocationPicker
          label="Location"
          description="Where this antenna reads. Without one, its reads move no asset."
          value={location}
          onChange={setLocation}
          error={send.fields['location_id']}
        />
        <WholeNumber
          label="Minimum strength, in dBm"
          description="Weaker reads of this antenna do not count, for all kinds of tags. Empty: as set under Positions."
          isSigned
          maxLength={4}
          value={strength.minimum}
          onChange={(minimum) => setStrength({ ...strength, minimum })}
          error={send.fields['min_rssi_dbm']}
        />
        <WholeNumber
          label="Offset, in dB"
          description="Added to the strengths that this antenna reports, if it hears better or worse than others. −40 to 40."
          isSigned
          maxLength={3}
          value={strength.offset}
          onChange={(offset) => setStrength({ ...strength, offset })}
          error={send.fields['rssi_offset_db']}
        />
      </SendForm>
    </FormModal>
  )
}
