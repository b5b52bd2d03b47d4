import { unwrap, type components } from '@whereabouts/client/client'
import { useState } from 'react'
import type { FieldMessages } from '../../parts/failure.ts'
import { FormModal } from '../../parts/form-modal.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { ASSET_FIELDS, AssetFields } from '../assets/asset-fields.tsx'
import { patchBody, valuesOf, type Asset } from '../assets/asset-values.ts'

type Props = { asset: Asset; isOpen: boolean; onClose: () => void }

export function EditAsset({ asset, isOpen, onClose }: Props) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title={`Edit ${asset.name}`} size="lg">
      <EditForm asset={asset} onClose={onClose} />
    </FormModal>
  )
}

function EditForm({ asset, onClose }: Omit<Props, 'isOpen'>) {
  const [before] = useState(() => valuesOf(asset)) // as the person saw it when they began
  const [values, setValues] = useState(before)
  const [problems, setProblems] = useState<FieldMessages>({})
  const send = useSend(
    async (body: components['schemas']['AssetPatch']) => {
      const path = { asset_id: asset.id }
      return unwrap(await api.PATCH('/api/v1/assets/{asset_id}', { params: { path }, body })).data
    },
    { reload: [['asset', asset.id], ['assets']], onDone: onClose },
  )
  const submit = () => {
    const ready = patchBody(before, values)
    setProblems('problems' in ready ? ready.problems : {})
    if (!('body' in ready)) return
    if (Object.keys(ready.body).length === 0) onClose()
    else send.send(ready.body)
  }
  return (
    <SendForm send={send} label="Save" onSubmit={submit} onCancel={onClose} shownFields={ASSET_FIELDS}>
      <AssetFields
        values={values}
        onChange={(change) => setValues((now) => ({ ...now, ...change }))}
        errors={{ ...send.fields, ...problems }}
      />
    </SendForm>
  )
}
