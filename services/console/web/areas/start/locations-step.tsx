import { List, Text, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { atMost, filled, firstOf } from '../../parts/form/checks.ts'
import { LocationLink } from '../../parts/things/links.tsx'
import { SendForm } from '../../parts/form/send-form.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { EXAMPLE } from './example.ts'
import { createLocation } from './set-up.ts'

type Props = { locations: readonly components['schemas']['Location'][]; total: number }

/** Needs only names: the API creates the keys. The form stays for the next location. */
export function LocationsStep({ locations, total }: Props) {
  const [name, setName] = useState<string>(total === 0 ? EXAMPLE.location : '')
  const [shownTotal, setShownTotal] = useState(total)
  if (shownTotal !== total) {
    setShownTotal(total)
    if (shownTotal === 0 && name === EXAMPLE.location) setName('') // the first one was added elsewhere
  }
  const send = useSend(createLocation, {
    reload: [['locations']],
    onDone: () => setName(''),
    check: (typed) => ({ name: firstOf(filled(typed, 'Enter a name.'), atMost(typed, 255)) }),
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
        onSubmit={() => send.send(name.trim())}
        shownFields={['name']}
      >
        <TextInput
          label="Location name"
          onFocus={(event) => event.currentTarget.select()}
          {...send.entry('name', name, setName)}
          autoComplete="off"
          required
        />
      </SendForm>
    </>
  )
}
