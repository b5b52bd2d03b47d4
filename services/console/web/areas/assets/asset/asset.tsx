import { Button, Grid, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { BackLink } from '../../../parts/page/back-link.tsx'
import { AssetTypeIcon } from '../../../parts/things/asset-type-icon.tsx'
import { assetTypeOf } from '../../../parts/things/asset-types.ts'
import IconPencil from '@tabler/icons-react/icons/IconPencil'
import { OpenAlerts } from '../../../parts/alerts/open-alerts.tsx'
import { ChangeHistory } from '../../../parts/audit/change-history.tsx'
import { DataCard } from '../../../parts/table/data-card.tsx'
import { failureOf } from '../../../parts/load/failure.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { RenameKey } from '../../../parts/form/rename-key.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { TagsCard } from '../../../parts/things/tags-card.tsx'
import { useVisit } from '../../../parts/page/visits.ts'
import { api } from '../../../session/api.ts'
import { ASSET_FIELDS, type Asset } from '../assets/asset-fields.ts'
import { DeletedAsset, NO_ASSET } from '../../deleted/deleted-asset.tsx'
import { DeleteAsset } from './delete-asset.tsx'
import { DayCard } from './day-card.tsx'
import { useHome } from './home.tsx'
import { EraseHistory } from './erase-history.tsx'
import { Stays } from './stays.tsx'
import { useAsset, useReloadOnMove } from './use-asset.ts'
import { CurrentLocationCard } from './current-location.tsx'
import { Icon } from '../../../parts/page/icon.tsx'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { ForMembers } from '../../../session/for-members.tsx'

/** One asset: its location and why, its day, its stays and its data. */
export default function AssetScreen() {
  const { assetId }: { assetId?: string } = useParams({ strict: false })
  return <OneAsset key={assetId} id={Number(assetId)} />
}

function OneAsset({ id }: { id: number }) {
  const asset = useAsset(id)
  useReloadOnMove(id)
  useVisit('asset', asset.data)
  if (asset.isError && failureOf(asset.error).isMissing) return <DeletedAsset id={id} />
  return (
    <Screen
      title={asset.data?.name ?? 'Asset'}
      lead={
        <Group gap="md">
          {asset.data && <AssetType type={asset.data.type} />}
          <BackLink list={NO_ASSET.list} to={NO_ASSET.to} />
        </Group>
      }
      actions={
        asset.data && (
          <ForMembers isExplained>
            <Actions asset={asset.data} />
          </ForMembers>
        )
      }
    >
      <Loaded query={asset} what="the asset" missing={NO_ASSET}>
        {(data) => <Parts asset={data} />}
      </Loaded>
    </Screen>
  )
}

function AssetType({ type }: Pick<Asset, 'type'>) {
  const { label } = assetTypeOf(type)
  return (
    <Group gap={6}>
      <AssetTypeIcon type={type} />
      {label}
    </Group>
  )
}

function Parts({ asset }: { asset: Asset }) {
  return (
    <>
      <OpenAlerts kind="asset" id={asset.id} />
      <CurrentLocationCard asset={asset} />
      <DayCard asset={asset} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stays id={asset.id} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <Tags asset={asset} />
            <DataCard fields={ASSET_FIELDS} resource={asset} />
          </Stack>
        </Grid.Col>
      </Grid>
      <ChangeHistory type="asset" id={asset.id} />
    </>
  )
}

function Tags({ asset: { id, tags } }: { asset: Asset }) {
  return (
    <TagsCard
      tags={tags}
      owner="this asset"
      attach={(body) => api.post('/api/v1/assets/{asset_id}/tags', { path: { asset_id: id }, body })}
      detach={(tagId) =>
        api.delete('/api/v1/assets/{asset_id}/tags/{tag_id}', { path: { asset_id: id, tag_id: tagId } })
      }
      reload={[['asset', id], ['assets']]}
    />
  )
}

function Actions({ asset }: { asset: Asset }) {
  const [isEditing, editing] = useDisclosure(false)
  return (
    <>
      <Button leftSection={<Icon of={IconPencil} size={16} />} onClick={editing.open}>
        Edit
      </Button>
      <RenameKey
        current={asset.external_key}
        rename={(body) =>
          api.post('/api/v1/assets/{asset_id}/rename', { path: { asset_id: asset.id }, body })
        }
        reload={[['asset', asset.id], ['assets']]}
      />
      <EraseHistory asset={asset} />
      <DeleteAsset asset={asset} />
      <EditAsset asset={asset} isOpen={isEditing} onClose={editing.close} />
    </>
  )
}

type Props = { asset: Asset; isOpen: boolean; onClose: () => void }

function EditAsset({ asset, isOpen, onClose }: Props) {
  const home = useHome(asset)
  return (
    <FormModal opened={isOpen} onClose={onClose} title={`Edit ${asset.name}`} size="lg">
      <ResourceForm
        fields={ASSET_FIELDS}
        resource={asset}
        known={{ home_location_id: home }}
        label="Save"
        request={(body: components['schemas']['AssetPatch']) =>
          api.patch('/api/v1/assets/{asset_id}', { path: { asset_id: asset.id }, body })
        }
        reload={[['asset', asset.id], ['assets']]}
        onDone={onClose}
        onCancel={onClose}
      />
    </FormModal>
  )
}
