import { List, Text, TextInput } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { LocationLink } from '../../parts/links.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'

type Props = { locations: readonly components['schemas']['Location'][]; total: number }

/** Needs only names: the API creates the keys. The form stays for the next location. */
export function LocationsStep({ locations, total }: Props) {
  const [name, setName] = useState('')
  const send = useSend(async () => unwrap(await api.POST('/api/v1/locations', { body: { name } })), {
    reload: [['locations']],
    onDone: () => setName(''),
  })
  return (
    <>
      <Text size="sm">Where assets can be: docks, shelves, rooms, yards.</Text>
      {total > 0 && (
        <List size="sm" aria-label="Newest locations">
          {locations.map((location) => (
            <List.Item key={location.id}>
              <LocationLink id={location.id}>{location.name}</LocationLink>
            </List.Item>
          ))}
        </List>
      )}
      {total > locations.length && (
        <Text size="sm" c="dimmed">
          {`and ${new Intl.NumberFormat().format(total - locations.length)} more`}
        </Text>
      )}
      <SendForm
        send={send}
        label={total === 0 ? 'Add location' : 'Add another location'}
        onSubmit={() => send.send(undefined)}
        shownFields={['name']}
      >
        <TextInput
          label="Location name"
          placeholder="Dock 1"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={send.fields['name']}
          autoComplete="off"
          required
        />
      </SendForm>
    </>
  )
}
