import { TextInput } from '@mantine/core'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { FormModal } from '../../parts/form-modal.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import type { Asset } from '../assets/asset-values.ts'

type Props = { asset: Asset; isOpen: boolean; onClose: () => void }

export function RenameAsset({ asset, isOpen, onClose }: Props) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title="Rename the external key">
      <RenameForm asset={asset} onClose={onClose} />
    </FormModal>
  )
}

function RenameForm({ asset, onClose }: Omit<Props, 'isOpen'>) {
  const [externalKey, setExternalKey] = useState(asset.external_key)
  const send = useSend(
    async (key: string) => {
      const options = { params: { path: { asset_id: asset.id } }, body: { external_key: key } }
      return unwrap(await api.POST('/api/v1/assets/{asset_id}/rename', options)).data
    },
    { reload: [['asset', asset.id], ['assets']], onDone: onClose },
  )
  return (
    <SendForm
      send={send}
      label="Rename"
      onSubmit={() => send.send(externalKey)}
      onCancel={onClose}
      shownFields={['external_key']}
    >
      <TextInput
        label="External key"
        description="Other systems that know the asset by its key have to learn the new one. Its history stays."
        value={externalKey}
        onChange={(event) => setExternalKey(event.currentTarget.value)}
        error={send.fields['external_key']}
        spellCheck={false}
        data-autofocus
        required
      />
    </SendForm>
  )
}
