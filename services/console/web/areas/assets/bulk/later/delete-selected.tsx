import { Text } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { offerUndo } from '../../../../parts/form/undo.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { restoreAsset } from '../../../../parts/load/restore.ts'
import { countText } from '../../../../parts/table/count-text.ts'
import { api } from '../../../../session/api.ts'
import type { Asset } from '../../assets/asset-fields.ts'
import { eachOf } from './each-of.ts'
import { outcomeText } from './outcome.ts'
import { RELOADED } from './reloaded.ts'

type Props = { assets: readonly Asset[]; onClose: () => void; onDone: () => void }

/** Deletes them one by one, so that each has its own row in the audit and its own restore. */
export function DeleteSelected({ assets, onClose, onDone }: Props) {
  const [count, setCount] = useState(0)
  const text = countText(assets.length, 'assets')
  const send = useSend(
    () =>
      eachOf(
        assets,
        ({ id }) => api.delete('/api/v1/assets/{asset_id}', { path: { asset_id: id } }),
        setCount,
      ),
    {
      reload: RELOADED,
      onDone: ({ done, failed }) => {
        onDone()
        const deleted = done.map(({ item }) => item)
        offerUndo({
          message: outcomeText('Deleted', deleted.length, failed),
          undo: () => eachOf(deleted, ({ id }) => restoreAsset(id)),
          done: (back) => outcomeText('Restored', back.done.length, back.failed),
          reload: RELOADED,
        })
      },
    },
  )
  return (
    <FormModal opened onClose={onClose} title={`Delete ${text}?`}>
      <SendForm send={send} label={`Delete ${text}`} color="red" onCancel={onClose}>
        <Text size="sm">
          This deletes them with their tags, and hides their history. You can restore them at any time. Until
          then, others can use their external keys and tags.
        </Text>
        {send.isSending && (
          <Text size="sm" role="status">
            {count} of {text}
          </Text>
        )}
      </SendForm>
    </FormModal>
  )
}
