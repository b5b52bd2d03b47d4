import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { offerUndo } from '../../../parts/form/undo.tsx'
import { api } from '../../../session/api.ts'
import type { Asset } from '../assets/asset-fields.ts'
import { reloadedAsset, restoreAsset } from '../../../parts/load/restore.ts'

/** Deletes the asset, goes to the list, and offers to undo it there. */
export function DeleteAsset({ asset: { id, name } }: { asset: Asset }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const onDone = () => {
    // The copy from before the deletion must not be shown again.
    void navigate({ to: '/assets' }).then(() => client.removeQueries({ queryKey: ['asset', id] }))
    offerUndo({
      message: `Deleted ${name}.`,
      undo: () => restoreAsset(id),
      done: `${name} restored.`,
      reload: reloadedAsset(id),
      open: { label: `Open ${name}`, go: () => void navigate({ to: `/assets/${id}` }) },
    })
  }
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
