import { Anchor, Button, Group, Table, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { locationText, type Sighting } from './sightings.ts'
import { HISTORY_PAGE, useHistory } from './use-asset.ts'
import { Source } from './why.tsx'

/** The stored rows: one for each minute in which the asset was seen. */
export function History({ id }: { id: number }) {
  const [list, setList] = useUrlState({ from: '', to: '', offset: '0' })
  const history = useHistory(id, list)
  const isFiltered = list.from !== '' || list.to !== ''
  return (
    <Card title="History">
      <Text size="sm" c="dimmed">
        Each minute in which it was seen, and what decided its location.
      </Text>
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

function Rows({ rows }: { rows: readonly Sighting[] }) {
  return (
    <StackedTable label="History rows" minWidth={480}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Seen</Table.Th>
          <Table.Th>Location</Table.Th>
          <Table.Th>Source</Table.Th>
          <Table.Th>Tag</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.observed_at}>
            <Cell label="Seen">
              <When at={row.observed_at} as="day" />
            </Cell>
            <Cell label="Location">
              <SeenAtLocation sighting={row} />
            </Cell>
            <Cell label="Source">
              <Source sighting={row} />
            </Cell>
            <Cell label="Tag">{row.tag?.value ?? '–'}</Cell>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}

function SeenAtLocation({ sighting: { location } }: { sighting: Sighting }) {
  if (!location?.name) return locationText(location)
  return (
    <Anchor component={Link} to={`/locations/${location.id}`} inherit>
      {location.name}
    </Anchor>
  )
}
