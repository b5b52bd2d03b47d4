import { Anchor, Badge, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { AssetTypeIcon } from '../../../parts/things/asset-type-icon.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { entriesOf, type Values } from '../../../parts/form/fields.ts'
import { When } from '../../../parts/time/when.tsx'
import { ASSET_FIELDS, type Asset } from './asset-fields.ts'
import type { LastLocation } from './use-assets.ts'
import { shownValue } from '../../../parts/things/tag-values.ts'

const WIDTHS: Readonly<Record<string, number>> = { external_key: 140, type: 95 }

/** `isPlace`: the list is by place, which is sorted by other fields. */
const fieldColumns = (isPlace: boolean): readonly Column<Asset>[] =>
  entriesOf(ASSET_FIELDS)
    .filter(([, { tableColumn }]) => tableColumn)
    .map(([key, { label, kind, tableColumn }]) => ({
      label,
      width: WIDTHS[key],
      sort: tableColumn === 'sortable' && (!isPlace || key === 'external_key') ? key : undefined,
      cell: (asset) => <kind.Shown value={(asset as Values)[key]} />,
    }))

/**
 * `isKnown`: `lastLocations` is loaded. Then an asset that is missing from it was never scanned. `isPast`: they are of an
 * instant, of which the report does not know since when.
 */
export const assetColumns = (
  lastLocations: ReadonlyMap<number, LastLocation> | undefined,
  { isKnown, isPlace, isPast }: { isKnown: boolean; isPlace: boolean; isPast: boolean },
  select: readonly Column<Asset>[],
): readonly Column<Asset>[] => [
  ...select,
  {
    label: 'Name',
    role: 'title',
    sort: isPlace ? undefined : 'name',
    cell: (asset) => (
      <Group gap={6} wrap="nowrap">
        <AssetTypeIcon type={asset.type} />
        <Anchor component={Link} to={`/assets/${asset.id}`} fw={500} fz="sm">
          {asset.name}
        </Anchor>
        <State asset={asset} />
      </Group>
    ),
  },
  {
    label: 'Location',
    cell: ({ id }) => {
      const at = lastLocations?.get(id)
      if (at) return <LocationCell at={at} />
      return isKnown ? <Dimmed text="Never scanned" /> : '…'
    },
  },
  {
    label: 'Last seen',
    width: 120,
    sort: isPlace ? 'last_seen' : undefined,
    cell: ({ id }) => <Instant at={lastLocations?.get(id)?.asset_last_seen} />,
  },
  ...(isPast
    ? []
    : [
        {
          label: 'Here since',
          width: 120,
          cell: ({ id }: Asset) => <Instant at={lastLocations?.get(id)?.dwell_started_at} />,
        },
      ]),
  ...fieldColumns(isPlace),
  {
    label: 'Tags',
    width: 222,
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    label: 'Created',
    width: 120,
    sort: isPlace ? undefined : 'created_at',
    cell: ({ created_at }) => <When at={created_at} />,
  },
]

const SHOWN_TAGS = 1

function Tags({ tags }: Pick<Asset, 'tags'>) {
  if (tags.length === 0) return <Dimmed text="None" />
  return (
    <Text size="xs" title={tags.map(({ value }) => shownValue(value)).join('\n')}>
      {tags.slice(0, SHOWN_TAGS).map(({ id, value }) => (
        <Text key={id} span inherit ff="monospace">
          {shownValue(value)}
        </Text>
      ))}
      {tags.length > SHOWN_TAGS && (
        <Text span inherit c="dimmed">
          {` +${tags.length - SHOWN_TAGS}`}
        </Text>
      )}
    </Text>
  )
}

const Instant = ({ at }: { at: string | null | undefined }) => (at ? <When at={at} /> : '–')

function LocationCell({ at: { location_id: id, location } }: { at: LastLocation }) {
  if (id === null) return <Dimmed text="No location" />
  return (
    <Anchor component={Link} to={`/locations/${id}`} fz="sm" title={location?.external_key}>
      {location?.name ?? 'Deleted location'}
    </Anchor>
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
