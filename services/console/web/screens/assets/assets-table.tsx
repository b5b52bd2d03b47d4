import { Anchor, Badge, Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { SortHeading } from '../../parts/sort-heading.tsx'
import { When } from '../../parts/when.tsx'
import { entriesOf, type Values } from '../../parts/fields.ts'
import { ASSET_FIELDS, type Asset } from './asset-fields.ts'
import type { LastLocation } from './use-assets.ts'

type Props = {
  assets: readonly Asset[]
  lastLocations: ReadonlyMap<number, LastLocation>
  /** True once `lastLocations` is loaded: an asset that is missing from it was never scanned. */
  isKnown: boolean
  sort: string
  onSort: (sort: string) => void
}

const COLUMNS = entriesOf(ASSET_FIELDS).filter(([, { tableColumn }]) => tableColumn)

export function AssetsTable({ assets, lastLocations, isKnown, sort, onSort }: Props) {
  return (
    <ScrollRegion label="Assets">
      <Table miw={820}>
        <Table.Thead>
          <Table.Tr>
            <SortHeading label="Name" field="name" sort={sort} onSort={onSort} />
            <Table.Th>Location</Table.Th>
            {COLUMNS.map(([key, { label, tableColumn }]) =>
              tableColumn === 'sortable' ? (
                <SortHeading key={key} label={label} field={key} sort={sort} onSort={onSort} />
              ) : (
                <Table.Th key={key}>{label}</Table.Th>
              ),
            )}
            <Table.Th>Tags</Table.Th>
            <SortHeading label="Created" field="created_at" sort={sort} onSort={onSort} />
            <Table.Th>Status</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {assets.map((asset) => (
            <AssetRow
              key={asset.id}
              asset={asset}
              lastLocation={lastLocations.get(asset.id)}
              isKnown={isKnown}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  )
}

type RowProps = { asset: Asset; lastLocation: LastLocation | undefined; isKnown: boolean }

/** Renders again only when its data changes: the query cache keeps equal objects. */
const AssetRow = memo(function AssetRow({ asset, lastLocation, isKnown }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td maw={280}>
        {asset.deleted_at === null ? (
          <Anchor component={Link} to={`/assets/${asset.id}`} fw={500} fz="sm">
            {asset.name}
          </Anchor>
        ) : (
          asset.name
        )}
      </Table.Td>
      <Table.Td>
        {lastLocation ? (
          <LocationCell lastLocation={lastLocation} />
        ) : isKnown ? (
          <Dimmed text="Never scanned" />
        ) : (
          '…'
        )}
      </Table.Td>
      {COLUMNS.map(([key, { kind }]) => (
        <Table.Td key={key}>
          <kind.Shown value={(asset as Values)[key]} />
        </Table.Td>
      ))}
      <Table.Td maw={240}>
        <Tags tags={asset.tags} />
      </Table.Td>
      <Table.Td>
        <When at={asset.created_at} />
      </Table.Td>
      <Table.Td>
        <State asset={asset} />
      </Table.Td>
    </Table.Tr>
  )
})

const SHOWN_TAGS = 2

function Tags({ tags }: Pick<Asset, 'tags'>) {
  if (tags.length === 0) return <Dimmed text="None" />
  return (
    <>
      {tags.slice(0, SHOWN_TAGS).map(({ id, value }) => (
        <Text key={id} size="xs" ff="monospace" truncate title={value}>
          {value}
        </Text>
      ))}
      {tags.length > SHOWN_TAGS && <Dimmed text={`and ${tags.length - SHOWN_TAGS} more`} />}
    </>
  )
}

function LocationCell({ lastLocation }: { lastLocation: LastLocation }) {
  return (
    <Group gap={6} wrap="nowrap">
      {lastLocation.location_id === null ? (
        <Dimmed text="No location" />
      ) : (
        <Anchor component={Link} to={`/locations/${lastLocation.location_id}`} fz="sm">
          {lastLocation.location_external_key ?? 'Deleted location'}
        </Anchor>
      )}
      <Text size="xs" c="dimmed" component="span" style={{ whiteSpace: 'nowrap' }}>
        <When at={lastLocation.asset_last_seen} />
      </Text>
    </Group>
  )
}

function State({ asset }: { asset: Asset }) {
  if (asset.deleted_at !== null)
    return (
      <Badge color="red" variant="light">
        Deleted
      </Badge>
    )
  return (
    <Badge color={asset.is_active ? 'green' : 'gray'} variant="light">
      {asset.is_active ? 'Active' : 'Inactive'}
    </Badge>
  )
}

const Dimmed = ({ text }: { text: string }) => (
  <Text size="xs" c="dimmed">
    {text}
  </Text>
)
