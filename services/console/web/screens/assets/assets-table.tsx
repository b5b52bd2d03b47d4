import { Anchor, Badge, Box, Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { useLocationNames } from '../../parts/names.ts'
import { SortHeading } from '../../parts/sort-heading.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
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
  const names = useLocationNames([...lastLocations.values()].map(({ location_external_key: key }) => key))
  return (
    <StackedTable label="Assets" minWidth={760}>
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
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {assets.map((asset) => {
          const lastLocation = lastLocations.get(asset.id)
          return (
            <AssetRow
              key={asset.id}
              asset={asset}
              lastLocation={lastLocation}
              locationName={names.get(lastLocation?.location_external_key ?? '')}
              isKnown={isKnown}
            />
          )
        })}
      </Table.Tbody>
    </StackedTable>
  )
}

type RowProps = {
  asset: Asset
  lastLocation: LastLocation | undefined
  /** Undefined until it is loaded. */
  locationName: string | undefined
  isKnown: boolean
}

/** Renders again only when its data changes: the query cache keeps equal objects. */
const AssetRow = memo(function AssetRow({ asset, lastLocation, locationName, isKnown }: RowProps) {
  return (
    <Table.Tr>
      <Cell maxWidth={280}>
        <Group gap={6}>
          <Anchor component={Link} to={`/assets/${asset.id}`} fw={500} fz="sm">
            {asset.name}
          </Anchor>
          <State asset={asset} />
        </Group>
      </Cell>
      <Cell label="Location">
        {lastLocation ? (
          <LocationCell lastLocation={lastLocation} name={locationName} />
        ) : isKnown ? (
          <Dimmed text="Never scanned" />
        ) : (
          '…'
        )}
      </Cell>
      {COLUMNS.map(([key, { kind, label }]) => (
        <Cell key={key} label={label}>
          <kind.Shown value={(asset as Values)[key]} />
        </Cell>
      ))}
      <Cell label="Tags">
        <Box maw={240}>
          <Tags tags={asset.tags} />
        </Box>
      </Cell>
      <Cell label="Created">
        <When at={asset.created_at} />
      </Cell>
    </Table.Tr>
  )
})

const SHOWN_TAGS = 2

function Tags({ tags }: Pick<Asset, 'tags'>) {
  if (tags.length === 0) return <Dimmed text="None" />
  return (
    <>
      {tags.slice(0, SHOWN_TAGS).map(({ id, value }) => (
        <Text key={id} size="xs" ff="monospace">
          {value}
        </Text>
      ))}
      {tags.length > SHOWN_TAGS && <Dimmed text={`and ${tags.length - SHOWN_TAGS} more`} />}
    </>
  )
}

function LocationCell({ lastLocation, name }: { lastLocation: LastLocation; name: string | undefined }) {
  const { location_id: id, location_external_key: key, asset_last_seen: seen } = lastLocation
  return (
    <>
      {id === null ? (
        <Dimmed text="No location" />
      ) : (
        <Anchor component={Link} to={`/locations/${id}`} fz="sm" title={key ?? undefined}>
          {name ?? key ?? 'Deleted location'}
        </Anchor>
      )}
      <Text size="xs" c="dimmed">
        <When at={seen} />
      </Text>
    </>
  )
}

/** Says only what is unusual. */
function State({ asset }: { asset: Asset }) {
  if (asset.deleted_at === null && asset.is_active) return null
  return (
    <Badge color={asset.deleted_at === null ? 'gray' : 'red'} variant="light" size="sm">
      {asset.deleted_at === null ? 'Inactive' : 'Deleted'}
    </Badge>
  )
}

const Dimmed = ({ text }: { text: string }) => (
  <Text size="xs" c="dimmed">
    {text}
  </Text>
)
