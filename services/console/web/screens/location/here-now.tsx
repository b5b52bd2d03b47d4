import { Switch, Table, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { Card } from '../../parts/card.tsx'
import { AssetLink, LocationLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useAssetNames, useLocationNames } from '../../parts/names.ts'
import { Pager } from '../../parts/pager.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { durationText } from '../../parts/times.ts'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { HERE_PAGE, useHere } from './location-queries.ts'

type Row = components['schemas']['AssetLocation']

/** The assets at a location, updated live. */
export function HereNow({ id, name }: { id: number; name: string }) {
  const [{ inside, offset }, setUrl] = useUrlState({ inside: 'yes', offset: '0' })
  const deep = inside === 'yes'
  const here = useHere(id, { deep, offset: Number(offset) })
  useReloadOnMovement([['report']])
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
      <Loaded query={here} what="the assets here">
        {({ data, total_count }) =>
          total_count === 0 ? (
            <Text size="sm" c="dimmed">
              {`No assets at ${name}${deep ? ' or its sub-locations' : ''}. Assets appear after a read or a saved inventory.`}
            </Text>
          ) : (
            <>
              <AssetsHere rows={data} deep={deep} />
              <Pager
                offset={Number(offset)}
                limit={HERE_PAGE}
                total={total_count}
                onOffset={(next) => setUrl({ offset: String(next) })}
                what="assets"
              />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

/** The report has keys; the names come with a request for the whole page. */
function AssetsHere({ rows, deep }: { rows: readonly Row[]; deep: boolean }) {
  const assets = useAssetNames(rows.map(({ asset_external_key: key }) => key))
  const locations = useLocationNames(deep ? rows.map(({ location_external_key: key }) => key) : [])
  return (
    <StackedTable label="Assets here" minWidth={deep ? 520 : 360}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Asset</Table.Th>
          {deep && <Table.Th>Location</Table.Th>}
          <Table.Th>Dwell time</Table.Th>
          <Table.Th>Last seen</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.asset_id}>
            <Cell>
              <AssetLink id={row.asset_id}>
                {assets.get(row.asset_external_key) ?? row.asset_external_key}
              </AssetLink>
              <Text size="xs" c="dimmed">
                {row.asset_external_key}
              </Text>
            </Cell>
            {deep && (
              <Cell label="Location">
                <AtLocation row={row} name={locations.get(row.location_external_key ?? '')} />
              </Cell>
            )}
            <Cell label="Dwell time">{row.dwell_seconds !== null && durationText(row.dwell_seconds)}</Cell>
            <Cell label="Last seen">
              <When at={row.asset_last_seen} />
            </Cell>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}

function AtLocation({
  row: { location_id: id, location_external_key: key },
  name,
}: {
  row: Row
  name: string | undefined
}) {
  if (id === null) return null
  return (
    <>
      <LocationLink id={id}>{name ?? key ?? 'Deleted location'}</LocationLink>
      {name !== undefined && (
        <Text size="xs" c="dimmed">
          {key}
        </Text>
      )}
    </>
  )
}
