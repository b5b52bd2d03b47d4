import { Text } from '@mantine/core'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { AssetLink, LocationLink } from '../../../parts/things/links.tsx'
import { When } from '../../../parts/time/when.tsx'
import type { Entry } from './movement-log.ts'

export const MovementTable = ({ entries }: { entries: readonly Entry[] }) => (
  <DataTable
    label="Movements"
    columns={COLUMNS}
    rows={entries}
    rowKey={({ key }) => key}
    minWidth={560}
    isLive
  />
)

const COLUMNS: readonly Column<Entry>[] = [
  {
    label: 'Time',
    width: 110,
    cell: (entry) => <When at={entry.kind === 'gap' ? entry.at : entry.movement.occurred_at} as="clock" />,
  },
  {
    label: 'Asset',
    role: 'title',
    cell: (entry) => (entry.kind === 'gap' ? <Gap /> : <Moved {...entry.movement} />),
  },
  {
    label: 'From',
    cell: (entry) => entry.kind !== 'gap' && <From location={entry.movement.from_location} />,
  },
  {
    label: 'To',
    cell: (entry) => {
      if (entry.kind === 'gap') return null
      const { id, name } = entry.movement.to_location
      return <LocationLink id={id}>{name}</LocationLink>
    },
  },
]

type Movement = Extract<Entry, { movement: unknown }>['movement']

const Gap = () => (
  <Text size="sm" fs="italic">
    Movements may be missing here: the connection was lost for too long.
  </Text>
)

const Moved = ({ asset }: Movement) => (
  <>
    <AssetLink id={asset.id}>{asset.name}</AssetLink>{' '}
    <Text span size="xs" c="dimmed">
      {asset.external_key}
    </Text>
  </>
)

const From = ({ location }: { location: Movement['from_location'] }) =>
  location ? (
    <LocationLink id={location.id}>{location.name}</LocationLink>
  ) : (
    <Text span size="sm" c="dimmed">
      Unknown
    </Text>
  )
