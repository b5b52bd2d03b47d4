import { Anchor, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { reloadedAsset } from '../../../../parts/load/restore.ts'
import { api } from '../../../../session/api.ts'
import { bodyOf, type Draft, erasedText, missingIn, NEW_DRAFT, SPANS } from './erasure.ts'

type Props = { asset: { id: number; name: string }; onClose: () => void }

export default function EraseForm({ asset: { id, name }, onClose }: Props) {
  const [draft, setDraft] = useState(NEW_DRAFT)
  const change = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed })
  const send = useSend(
    () => api.post('/api/v1/assets/{asset_id}/erase', { path: { asset_id: id }, body: bodyOf(draft) }),
    {
      check: () => missingIn(draft),
      reload: [...reloadedAsset(id), ['movements'], ['recent-movements']],
      onDone: (erased) => {
        onClose()
        notifications.show({ color: 'green', message: erasedText(name, erased) })
      },
    },
  )
  return (
    <SendForm send={send} label="Erase history" color="red" onCancel={onClose} shownFields={['from', 'to']}>
      <NativeSelect
        label="What"
        data={[...SPANS]}
        value={draft.span}
        onChange={({ currentTarget: { value: span } }) => change({ span })}
      />
      {draft.span === 'own' && (
        <Group align="flex-start" grow>
          <TextInput
            label="From"
            type="datetime-local"
            {...send.entry('from', draft.from, (from) => change({ from }))}
          />
          <TextInput
            label="To, with this minute"
            type="datetime-local"
            {...send.entry('to', draft.to, (to) => change({ to }))}
          />
        </Group>
      )}
      <Text size="sm">
        {`This erases where ${name} was: history, sightings and movements. If its last known location is among them, the newest one that is left is shown. This cannot be undone.`}
      </Text>
      <Text size="sm">
        The asset itself stays, with its tags and data. Events, exports and backups keep copies for a while:{' '}
        <Anchor href="/docs/data-protection#erase-where-somebody-was" underline="always" inherit>
          until when
        </Anchor>
        .
      </Text>
    </SendForm>
  )
}
