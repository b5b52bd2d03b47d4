import { Text } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { offerUndo } from '../../../../parts/form/undo.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { LocationPicker, type PickedLocation } from '../../../../parts/locations/location-picker.tsx'
import { countText } from '../../../../parts/table/count-text.ts'
import { api } from '../../../../session/api.ts'
import type { Asset } from '../../assets/asset-fields.ts'
import { backOf } from './moved-back.ts'
import { RELOADED } from './reloaded.ts'

type Props = { assets: readonly Asset[]; onClose: () => void; onDone: () => void }

/** Says where all of them are now, as saving an inventory does. */
export function MoveSelected({ assets, onClose, onDone }: Props) {
  const [to, setTo] = useState<PickedLocation | null>(null)
  const text = countText(assets.length, 'assets')
  const send = useSend(
    async (location: PickedLocation) => {
      const before = await api.get('/api/v1/reports/asset-locations', {
        query: { asset_id: assets.map(({ id }) => id), limit: 200, expand: 'location' },
      })
      await save(assets, location.external_key)
      return { before, location }
    },
    {
      reload: RELOADED,
      onDone: ({ before, location }) => {
        onDone()
        const { moves, without } = backOf(assets, before)
        const stays =
          without === 0 ? '' : ` ${countText(without, 'assets')} had no location before and cannot go back.`
        offerUndo({
          message: `Moved ${text} to ${location.name}.${stays}`,
          undo: async () => {
            for (const [key, some] of moves) await save(some, key)
          },
          done: `Moved back ${countText(assets.length - without, 'assets')}.`,
          reload: RELOADED,
        })
      },
    },
  )
  return (
    <FormModal opened onClose={onClose} title={`Move ${text}`}>
      <SendForm
        send={send}
        label={`Move ${text}`}
        onSubmit={() => to && send.send(to)}
        isDisabled={to === null}
        onCancel={onClose}
      >
        <LocationPicker label="Where they are now" value={to} onChange={setTo} isRequired />
        <Text size="sm" c="dimmed">
          This counts as a scan of each of them now. The next read of a reader moves them again.
        </Text>
      </SendForm>
    </FormModal>
  )
}

const save = (assets: readonly Asset[], key: string) =>
  api.post('/api/v1/inventory/save', {
    body: {
      asset_identifiers: assets.map(({ external_key: own }) => own),
      location_identifier: key,
    },
  })
