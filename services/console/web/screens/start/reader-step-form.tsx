import { Select, Text, TextInput } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { LocationPicker, type PickedLocation } from '../../parts/location-picker.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { FORMAT_CHOICES, FORMATS, type ReaderFormat } from '../readers/formats.ts'
import { proposedKey } from './proposed-key.ts'

type Props = {
  /** A configured reader without an antenna at a location; null if there is no reader. */
  reader: components['schemas']['Reader'] | null
  newestLocation: components['schemas']['Location'] | undefined
}

/** A mapping is too long for this form: such readers are added on the Readers screen. */
const CHOICES = FORMAT_CHOICES.filter(({ value }) => value !== 'mapping')

export function ReaderStepForm({ reader, newestLocation }: Props) {
  const [format, setFormat] = useState<ReaderFormat>('canonical')
  const [chosen, setChosen] = useState<PickedLocation | null>()
  const [typedKey, setKey] = useState<string>()
  const location = chosen === undefined ? (newestLocation ?? null) : chosen
  const key = typedKey ?? proposedKey(location?.name ?? '')
  const send = useSend(
    async () => {
      const body = { reader_key: key, name: key, format }
      const id = reader?.id ?? unwrap(await api.POST('/api/v1/readers', { body })).data.id
      const point = { antenna: 1, name: 'Antenna 1', location_id: location?.id ?? null }
      unwrap(
        await api.POST('/api/v1/readers/{reader_id}/scan-points', {
          params: { path: { reader_id: id ?? 0 } },
          body: point,
        }),
      )
    },
    { reload: [['readers'], ['reader']] },
  )
  return (
    <SendForm
      send={send}
      label={reader ? 'Add antenna' : 'Add reader'}
      onSubmit={() => send.send(undefined)}
      shownFields={['reader_key', 'location_id']}
      isDisabled={location === null}
    >
      {reader ? (
        <Text size="sm">{`No antenna of ${reader.name ?? reader.reader_key} is assigned to a location yet.`}</Text>
      ) : (
        <>
          <Text size="sm">
            A device that reads tags. No reader at hand? Keep the first format and publish a scan by hand.
          </Text>
          <Select
            label="Reader type"
            data={CHOICES}
            value={format}
            onChange={(value) => setFormat(FORMATS.find((known) => known === value) ?? format)}
            allowDeselect={false}
          />
          <TextInput
            label="Reader key"
            description="Part of the topic it publishes to. Letters, digits and hyphens."
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={send.fields['reader_key']}
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
