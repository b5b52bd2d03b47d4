import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { useDeleted } from '../../../parts/form/undo.tsx'
import { api } from '../../../session/api.ts'
import type { Asset } from '../assets/asset-fields.ts'
import { reloadedAsset, restoreAsset } from '../../../parts/load/restore.ts'

/** Deletes the asset, goes to the list, and offers to undo it there. */
export function DeleteAsset({ asset: { id, name } }: { asset: Asset }) {
  const undo = () => restoreAsset(id)
  const onDone = useDeleted({ list: '/assets', key: 'asset', id, name, undo, reload: reloadedAsset(id) })
  return (
    <ConfirmButton
      label="Delete"
      reload={[['assets']]}
      onDone={onDone}
      work={() => api.delete('/api/v1/assets/{asset_id}', { path: { asset_id: id } })}
    >
      {`This deletes ${name} and its tags, and hides its history. You can restore it at any time. Until then, others can use its external key and its tags.`}
    </ConfirmButton>
  )
}
