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
  /** One that is configured already, but none of whose antennas looks at a location. */
  reader: components['schemas']['Reader'] | null
  newestLocation: components['schemas']['Location'] | undefined
}

/** A mapping is longer than this path: such readers are added on their own screen. */
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
      label={reader ? 'Add the antenna' : 'Add the reader'}
      onSubmit={() => send.send(undefined)}
      shownFields={['reader_key', 'location_id']}
      isDisabled={location === null}
    >
      {reader ? (
        <Text size="sm">{`No antenna of ${reader.name ?? reader.reader_key} looks at a location yet.`}</Text>
      ) : (
        <>
          <Text size="sm">
            What reads the tags. Without one at hand, keep the first format and try by hand.
          </Text>
          <Select
            label="Kind of reader"
            data={CHOICES}
            value={format}
            onChange={(value) => setFormat(FORMATS.find((known) => known === value) ?? format)}
            allowDeselect={false}
          />
          <TextInput
            label="Key of the reader"
            description="Stands in the topic it publishes to: letters, digits and hyphens."
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={send.fields['reader_key']}
            autoComplete="off"
            required
          />
        </>
      )}
      <LocationPicker
        label="Antenna 1 looks at"
        value={location}
        onChange={setChosen}
        error={send.fields['location_id']}
        isRequired
      />
    </SendForm>
  )
}
