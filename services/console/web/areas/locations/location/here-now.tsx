import { Switch, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useMemo } from 'react'
import { useReloadOnMovement } from '../../../live/use-live.ts'
import { Card } from '../../../parts/page/card.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { AssetLink, LocationLink } from '../../../parts/things/links.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { durationText } from '../../../parts/time/times.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { When } from '../../../parts/time/when.tsx'
import { useHere } from '../../../parts/locations/location-queries.ts'

type Row = components['schemas']['AssetLocation']

/** The assets at a location, updated live. */
export function HereNow({ id, name }: { id: number; name: string }) {
  const [{ inside, offset }, setUrl] = useUrlState({ inside: 'yes', offset: '0' })
  const deep = inside === 'yes'
  const here = useHere(id, { deep, offset: Number(offset) })
  const columns = useMemo(() => columnsOf(deep), [deep])
  useReloadOnMovement([['report', 'here']])
  return (
    <Card
      title="Here now"
      actions={
        <Switch
          label="Include sub-locations"
          checked={deep}
          onChange={(event) => setUrl({ inside: event.currentTarget.checked ? 'yes' : 'no', offset: '0' })}
        />
      }
    >
      <PagedTable
        label="Assets here"
        query={here}
        what="assets"
        columns={columns}
        rowKey={({ asset_id }) => asset_id}
        minWidth={deep ? 520 : 360}
        empty={
          <Text size="sm" c="dimmed">
            {`No assets at ${name}${deep ? ' or its sub-locations' : ''}. Assets appear after a read or a saved inventory.`}
          </Text>
        }
        offset={offset}
        onOffset={(next) => setUrl({ offset: next })}
      />
    </Card>
  )
}

const LOCATION: Column<Row> = {
  label: 'Location',
  cell: ({ location_id: id, location }) =>
    id !== null && (
      <>
        <LocationLink id={id}>{location?.name ?? 'Deleted location'}</LocationLink>
        <Text size="xs" c="dimmed">
          {location?.external_key}
        </Text>
      </>
    ),
}

const columnsOf = (deep: boolean): readonly Column<Row>[] => [
  {
    label: 'Asset',
    role: 'title',
    cell: ({ asset_id: id, asset_external_key: key, asset }) => (
      <>
        <AssetLink id={id}>{asset?.name ?? key}</AssetLink>
        <Text size="xs" c="dimmed">
          {key}
        </Text>
      </>
    ),
  },
  ...(deep ? [LOCATION] : []),
  {
    label: 'Dwell time',
    cell: ({ dwell_seconds: seconds }) => seconds !== null && durationText(seconds),
  },
  { label: 'Last seen', cell: ({ asset_last_seen: at }) => <When at={at} /> },
]
