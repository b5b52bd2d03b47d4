import { Switch, Table, Text } from '@mantine/core'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { Card } from '../../parts/card.tsx'
import { AssetLink, LocationLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { durationText } from '../../parts/times.ts'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { HERE_PAGE, useHere } from './location-queries.ts'
import { ScrollRegion } from '../../parts/scroll-region.tsx'

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
              <ScrollRegion label="Assets here">
                <Table miw={deep ? 440 : 300}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Asset</Table.Th>
                      {deep && <Table.Th>Location</Table.Th>}
                      <Table.Th>Dwell time</Table.Th>
                      <Table.Th>Last seen</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {data.map((row) => (
                      <Table.Tr key={row.asset_id}>
                        <Table.Td>
                          <AssetLink id={row.asset_id}>{row.asset_external_key}</AssetLink>
                        </Table.Td>
                        {deep && (
                          <Table.Td>
                            {row.location_id !== null && (
                              <LocationLink id={row.location_id}>{row.location_external_key}</LocationLink>
                            )}
                          </Table.Td>
                        )}
                        <Table.Td>{row.dwell_seconds !== null && durationText(row.dwell_seconds)}</Table.Td>
                        <Table.Td>
                          <When at={row.asset_last_seen} />
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </ScrollRegion>
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
