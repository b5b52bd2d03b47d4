import { BackLink } from '../../parts/page/back-link.tsx'
import { Loaded } from '../../parts/load/loaded.tsx'
import { Screen } from '../../parts/page/screen.tsx'
import { RestoreForm } from '../../parts/form/restore-form.tsx'
import { reloadedAsset, restoreAsset, useAssetPreview } from '../../parts/load/restore.ts'
import { EraseHistory } from '../assets/asset/erase-history.tsx'

export const NO_ASSET = { name: 'asset', list: 'All assets', to: '/assets' }

/** In place of an asset that the API does not show: what is known of it if it was deleted. */
export function DeletedAsset({ id }: { id: number }) {
  const preview = useAssetPreview(id)
  return (
    <Screen
      title={preview.data?.asset.name ?? 'Asset'}
      lead={<BackLink list={NO_ASSET.list} to={NO_ASSET.to} />}
      actions={preview.data && <EraseHistory asset={preview.data.asset} />}
    >
      <Loaded query={preview} what="the asset" missing={NO_ASSET}>
        {({ asset, tags, key_held_by: keyHeldBy }) => (
          <RestoreForm
            noun="asset"
            thing={asset}
            tags={tags}
            keyHeldBy={keyHeldBy}
            effect="Its history and its last location are shown again, and reads of tags that come back count again."
            restore={(key) => restoreAsset(id, key === undefined ? {} : { external_key: key })}
            reload={reloadedAsset(id)}
            onFailure={() => void preview.refetch()}
          />
        )}
      </Loaded>
    </Screen>
  )
}
