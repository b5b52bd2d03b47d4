import { unwrap, type components } from '@whereabouts/client/client'
import { FormModal } from '../../parts/form-modal.tsx'
import { ResourceForm } from '../../parts/resource-form.tsx'
import { api } from '../../session/api.ts'
import { ASSET_FIELDS, type Asset } from '../assets/asset-fields.ts'

type Props = { asset: Asset; isOpen: boolean; onClose: () => void }

export function EditAsset({ asset, isOpen, onClose }: Props) {
  const params = { path: { asset_id: asset.id } }
  return (
    <FormModal opened={isOpen} onClose={onClose} title={`Edit ${asset.name}`} size="lg">
      <ResourceForm
        fields={ASSET_FIELDS}
        resource={asset}
        label="Save"
        request={async (body: components['schemas']['AssetPatch']) =>
          unwrap(await api.PATCH('/api/v1/assets/{asset_id}', { params, body }))
        }
        reload={[['asset', asset.id], ['assets']]}
        onDone={onClose}
        onCancel={onClose}
      />
    </FormModal>
  )
}
