import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { locationText, type Sighting } from './sightings.ts'
import { useHistory } from './use-asset.ts'
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
      <PagedTable
        label="History rows"
        query={history}
        what="rows"
        columns={COLUMNS}
        rowKey={({ observed_at: at }) => at}
        minWidth={480}
        empty={<Text size="sm">{isFiltered ? 'Not seen in this period.' : 'Never seen.'}</Text>}
        offset={list.offset}
        onOffset={(offset) => setList({ offset })}
      />
    </Card>
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

const COLUMNS: readonly Column<Sighting>[] = [
  { label: 'Seen', cell: ({ observed_at: at }) => <When at={at} as="day" /> },
  { label: 'Location', cell: (row) => <SeenAtLocation sighting={row} /> },
  { label: 'Source', cell: (row) => <Source sighting={row} /> },
  { label: 'Tag', cell: ({ tag }) => tag?.value ?? '–' },
]
