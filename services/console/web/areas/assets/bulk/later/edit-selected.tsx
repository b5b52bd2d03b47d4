import { Group, NativeSelect, Text, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { offerUndo } from '../../../../parts/form/undo.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { countText } from '../../../../parts/table/count-text.ts'
import { api } from '../../../../session/api.ts'
import { ASSET_TYPES, type Asset } from '../../assets/asset-fields.ts'
import { type Draft, editOf, EMPTY, isEmpty, undoOf } from './bulk-edit.ts'
import { type Failed, outcomeText } from './outcome.ts'
import { RELOADED } from './reloaded.ts'

type Item = components['schemas']['AssetBatchItem']
type Props = { assets: readonly Asset[]; onClose: () => void; onDone: () => void }

/** Sets the same fields of all of them, in one request. */
export function EditSelected({ assets, onClose, onDone }: Props) {
  const [draft, setDraft] = useState<Draft>(EMPTY)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const text = countText(assets.length, 'assets')
  const send = useSend(() => saveAll(assets, (asset) => editOf(asset, draft)), {
    check: () => ({
      name:
        draft.value.trim() !== '' && draft.name.trim() === '' ? 'Enter the name of the value.' : undefined,
    }),
    reload: RELOADED,
    onDone: ({ changed, failed }) => {
      onDone()
      offerUndo({
        message: outcomeText('Changed', changed.length, failed),
        undo: () => saveAll(changed, (asset) => undoOf(asset, editOf(asset, draft))),
        done: (back) => outcomeText('Changed back', back.changed.length, back.failed),
        reload: RELOADED,
      })
    },
  })
  return (
    <FormModal opened onClose={onClose} title={`Edit ${text}`}>
      <SendForm
        send={send}
        label={`Save ${text}`}
        onCancel={onClose}
        isDisabled={isEmpty(draft) && draft.value === ''}
        shownFields={['name']}
      >
        <Text size="sm" c="dimmed">
          What you leave empty stays as it is.
        </Text>
        <NativeSelect
          label="Type"
          data={[{ value: '', label: 'Leave as it is' }, ...ASSET_TYPES]}
          value={draft.type}
          onChange={(event) => set({ type: event.currentTarget.value })}
        />
        <NativeSelect
          label="Active"
          data={[
            { value: '', label: 'Leave as it is' },
            { value: 'true', label: 'Active' },
            { value: 'false', label: 'Inactive' },
          ]}
          value={draft.active}
          onChange={(event) => set({ active: event.currentTarget.value })}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Metadata: name"
            placeholder="department"
            {...send.entry('name', draft.name, (name) => set({ name }))}
          />
          <TextInput
            label="Metadata: value"
            description="Empty removes it."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={draft.value}
            onChange={(event) => set({ value: event.currentTarget.value })}
          />
        </Group>
      </SendForm>
    </FormModal>
  )
}

/** Those that were there and took the change, and those that did not. */
async function saveAll(assets: readonly Asset[], itemOf: (asset: Asset) => Item) {
  const results = await api.post('/api/v1/assets/batch', {
    query: { mode: 'update' },
    body: { items: assets.map(itemOf) },
  })
  const changed: Asset[] = []
  const failed: Failed[] = []
  for (const [i, { error }] of results.entries()) {
    const item = assets[i]
    if (!item) continue
    if (error) failed.push({ item, reason: error.detail })
    else changed.push(item)
  }
  return { changed, failed }
}
