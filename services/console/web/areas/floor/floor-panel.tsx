import { Anchor, Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { countText } from '../../parts/table/count-text.ts'
import { DataTable, type Column } from '../../parts/table/data-table.tsx'
import { When } from '../../parts/time/when.tsx'
import { assetTypeOf } from '../../parts/things/asset-types.ts'
import type { Selection } from './floor-plan.tsx'
import { pathTo, type Room } from './rooms.ts'
import type { Floor } from './use-floor.ts'
import { hasFewer } from './use-noticed.ts'

type Props = {
  floor: Floor
  selected: Selection | undefined
  onSelect: (selection: Selection) => void
  onEnter: (room: Room) => void
}

/** What is selected on the floor, in words. */
export function FloorPanel({ floor, selected, onSelect, onEnter }: Props) {
  const room = selected?.kind === 'room' ? floor.building.rooms.get(selected.id) : undefined
  if (room) return <RoomPanel {...{ floor, room, onSelect, onEnter }} />
  if (selected?.kind === 'asset') return <AssetPanel floor={floor} id={selected.id} onSelect={onSelect} />
  return (
    <Text size="sm" c="dimmed">
      Select a room to see what is in it, or a dot to see what it is.
    </Text>
  )
}

type RoomProps = Omit<Props, 'selected'> & { room: Room }

/** More are on the page of the location. */
const MOST_LISTED = 100

function RoomPanel({ floor, room, onSelect, onEnter }: RoomProps) {
  const { building, places } = floor
  const isWithin = (location: number) => pathTo(building.rooms.get(location)).includes(room)
  const here = [...places].filter(([, location]) => isWithin(location)).map(([id]) => id)
  const rows = here
    .map((id) => ({ id, name: nameOf(floor, id), seen: floor.stays.get(id)?.seen ?? '' }))
    .toSorted((a, b) => b.seen.localeCompare(a.seen))
  const total = floor.totals?.get(room.id) ?? rows.length
  const listed = rows.slice(0, MOST_LISTED)
  const columns = useMemo(() => columnsOf(onSelect), [onSelect])
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {room.name}
      </Title>
      {room.parent && (
        <Text size="sm" c="dimmed">
          {pathTo(room.parent)
            .map(({ name }) => name)
            .join(' › ')}
        </Text>
      )}
      <Group gap="xs">
        {room.children.length > 0 && (
          <Button size="xs" onClick={() => onEnter(room)}>
            Zoom in
          </Button>
        )}
        <Button size="xs" variant="default" component={Link} to={`/locations/${room.id}`}>
          Open location
        </Button>
      </Group>
      <Text size="sm" fw={500}>
        {countText(total, 'assets')}
      </Text>
      {listed.length > 0 && (
        <DataTable label={`Assets in ${room.name}`} columns={columns} rows={listed} rowKey={({ id }) => id} />
      )}
      {total > listed.length && (
        <Text size="sm" c="dimmed">
          {listed.length > 0 && `The ${listed.length} that were seen last. `}The location lists all.
        </Text>
      )}
    </Stack>
  )
}

type Listed = { id: number; name: string; seen: string }

const columnsOf = (onSelect: Props['onSelect']): readonly Column<Listed>[] => [
  {
    label: 'Asset',
    role: 'title',
    cell: ({ id, name }) => (
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        onClick={() => onSelect({ kind: 'asset', id })}
      >
        {name}
      </Anchor>
    ),
  },
  { label: 'Last seen', cell: ({ seen }) => (seen === '' ? 'just now' : <When at={seen} />) },
]

type AssetProps = { floor: Floor; id: number; onSelect: (selection: Selection) => void }

function AssetPanel({ floor, id, onSelect }: AssetProps) {
  const asset = floor.assets.get(id)
  const room = floor.building.rooms.get(floor.places.get(id) ?? 0)
  const stay = floor.stays.get(id)
  const { label, color } = assetTypeOf(asset?.type ?? '')
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {nameOf(floor, id)}
      </Title>
      <Group gap="xs">
        <span className="floor-dot" style={{ background: `var(${color})` }} aria-hidden />
        <Text size="sm">{label}</Text>
        {asset?.external_key && (
          <Badge variant="light" color="gray" tt="none">
            {asset.external_key}
          </Badge>
        )}
      </Group>
      <Text size="sm">
        {room ? (
          <>
            {'In '}
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => onSelect({ kind: 'room', id: room.id })}
            >
              {room.name}
            </Anchor>
            {room.parent &&
              ` (${pathTo(room.parent)
                .map(({ name }) => name)
                .join(' › ')})`}
          </>
        ) : (
          <>
            {asset || !hasFewer(floor)
              ? 'Its location is not on this picture.'
              : `It has no dot: the picture has the ${floor.assets.size} assets that were seen last.`}
          </>
        )}
      </Text>
      {stay && (
        <Text size="sm">
          {'Last seen '}
          <When at={stay.seen} />
          {', here since '}
          <When at={stay.since} />
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        component={Link}
        to={`/assets/${id}`}
        style={{ alignSelf: 'start' }}
      >
        Open asset
      </Button>
    </Stack>
  )
}

const nameOf = ({ assets }: Floor, id: number) => assets.get(id)?.name ?? `Asset ${id}`
