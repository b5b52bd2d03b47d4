import { Anchor, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { reloadedAsset } from '../../../parts/load/restore.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { bodyOf, type Draft, erasedText, missingIn, NEW_DRAFT, SPANS } from './erasure.ts'

type Props = { asset: { id: number; name: string } }

/** For administrators: erases where an asset was, also of a deleted one. */
export function EraseHistory({ asset }: Props) {
  const { isAdmin } = useSession()
  const [isOpen, { open, close }] = useDisclosure(false)
  if (!isAdmin) return null
  return (
    <>
      <Button variant="default" onClick={open}>
        Erase history…
      </Button>
      <FormModal opened={isOpen} onClose={close} title={`Erase history of ${asset.name}`}>
        <EraseForm asset={asset} onClose={close} />
      </FormModal>
    </>
  )
}

function EraseForm({ asset: { id, name }, onClose }: Props & { onClose: () => void }) {
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
