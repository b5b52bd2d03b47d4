import { Select, Text, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { LocationPicker, type PickedLocation } from '../../parts/locations/location-picker.tsx'
import { SendForm } from '../../parts/form/send-form.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { FORMAT_CHOICES, FORMATS, type ReaderFormat } from '../connect/formats.ts'
import { proposedKey } from './proposed-key.ts'
import { placeReader } from './set-up.ts'
import type { PlacedReader } from './use-progress.ts'

type Props = {
  /** A configured reader without an antenna at a location; null if there is no reader. */
  newest: PlacedReader | null
  newestLocation: components['schemas']['Location'] | undefined
}

/** A mapping is too long for this form: such readers are added on the Readers screen. */
const CHOICES = FORMAT_CHOICES.filter(({ value }) => value !== 'mapping')

const KEY = /^[A-Za-z0-9-]{1,64}$/

export function ReaderStepForm({ newest, newestLocation }: Props) {
  const [format, setFormat] = useState<ReaderFormat>('canonical')
  const [chosen, setChosen] = useState<PickedLocation | null>()
  const [typedKey, setKey] = useState<string>()
  const location = chosen === undefined ? (newestLocation ?? null) : chosen
  const key = typedKey ?? proposedKey(location?.name ?? '')
  const send = useSend(() => placeReader(newest, { key, format, locationId: location?.id ?? 0 }), {
    reload: [['readers'], ['reader']],
    check: () => ({
      reader_key: KEY.test(key) ? undefined : 'Use 1 to 64 letters, digits and hyphens, without spaces.',
      location_id: location === null ? 'Choose a location.' : undefined,
    }),
  })
  return (
    <SendForm
      send={send}
      label={newest ? 'Add antenna' : 'Add reader'}
      shownFields={['reader_key', 'location_id']}
    >
      {newest ? (
        <Text size="sm">
          {`No antenna of ${newest.reader.name ?? newest.reader.reader_key} is assigned to a location yet.`}
        </Text>
      ) : (
        <>
          <Text size="sm">
            A device that reads tags, such as a gate or a Bluetooth gateway. You need none for the first scan:
            keep these values.
          </Text>
          <Select
            label="Kind of reader"
            description="Decides how its messages are understood. Can be changed later."
            data={CHOICES}
            value={format}
            onChange={(value) => setFormat(FORMATS.find((known) => known === value) ?? format)}
            allowDeselect={false}
          />
          <TextInput
            label="Reader key"
            description="A short name that the device sends with every message. Letters, digits and hyphens."
            {...send.entry('reader_key', key, setKey)}
            onFocus={(event) => event.currentTarget.select()}
            autoComplete="off"
            required
          />
        </>
      )}
      <LocationPicker
        label="Location of antenna 1"
        value={location}
        onChange={setChosen}
        error={send.fields['location_id']}
        isRequired
      />
    </SendForm>
  )
}
