import { FailureNotice } from '../../parts/failure-notice.tsx'
import { failureOf } from '../../parts/failure.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { RestoreForm } from './restore-form.tsx'
import { reloadedAsset, restoreAsset, useAssetPreview } from './restore.ts'

type Props = { id: number; error: unknown }

/** In place of an asset that the API does not show: what is known of it, if it was deleted. `error`: of its request. */
export function DeletedAsset({ id, error }: Props) {
  const preview = useAssetPreview(id)
  if (preview.isError && failureOf(preview.error).isMissing) return <FailureNotice error={error} />
  return (
    <Loaded query={preview} what="the deleted asset">
      {({ asset, tags, key_held_by: keyHeldBy }) => (
        <RestoreForm
          noun="asset"
          thing={asset}
          tags={tags}
          keyHeldBy={keyHeldBy}
          effect="Its history and its last location are shown again, and reads of its tags count again."
          restore={(key) => restoreAsset(id, key === undefined ? {} : { external_key: key })}
          reload={reloadedAsset(id)}
        />
      )}
    </Loaded>
  )
}
