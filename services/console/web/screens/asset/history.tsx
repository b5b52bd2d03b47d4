import { Anchor, Button, Group, Table, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { durationText } from '../../parts/times.ts'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { HISTORY_PAGE, useHistory } from './use-asset.ts'

/** The stored rows: one for each minute in which the asset was seen. */
export function History({ id }: { id: number }) {
  const [list, setList] = useUrlState({ from: '', to: '', offset: '0' })
  const history = useHistory(id, list)
  const isFiltered = list.from !== '' || list.to !== ''
  return (
    <Card title="History">
      <Group align="flex-end" mb="sm">
        <TextInput
          label="From"
          type="datetime-local"
          value={list.from}
          onChange={(event) => setList({ from: event.currentTarget.value, offset: '0' })}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={list.to}
          onChange={(event) => setList({ to: event.currentTarget.value, offset: '0' })}
        />
        {isFiltered && (
          <Button variant="default" onClick={() => setList({ from: '', to: '', offset: '0' })}>
            Show all
          </Button>
        )}
      </Group>
      <Loaded query={history} what="the history">
        {({ data, total_count: total }) =>
          total === 0 ? (
            <Text size="sm">{isFiltered ? 'Not seen in this period.' : 'Never seen.'}</Text>
          ) : (
            <>
              <Rows rows={data} />
              <Pager
                offset={Number(list.offset)}
                limit={HISTORY_PAGE}
                total={total}
                onOffset={(offset) => setList({ offset: String(offset) })}
                what="rows"
              />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

type Row = NonNullable<ReturnType<typeof useHistory>['data']>['data'][number]

function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <ScrollRegion label="History rows">
      <Table miw={480}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Seen</Table.Th>
            <Table.Th>Location</Table.Th>
            <Table.Th>Time at previous location</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.event_observed_at}>
              <Table.Td>
                <When at={row.event_observed_at} as="day" />
              </Table.Td>
              <Table.Td>
                <Seen row={row} />
              </Table.Td>
              <Table.Td>{row.duration_seconds === null ? '–' : durationText(row.duration_seconds)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  )
}

function Seen({ row: { location_id: id, location_external_key: key } }: { row: Row }) {
  if (id === null) return 'No location'
  if (key === null) return 'Deleted location'
  return (
    <Anchor component={Link} to={`/locations/${id}`} fz="sm">
      {key}
    </Anchor>
  )
}
