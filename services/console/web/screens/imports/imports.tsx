import { Anchor, Badge, Table, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Screen } from '../../parts/screen.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { isUnfinished, percentOf, stateText, titleOf, type Import } from './import-files.ts'
import { NewImport } from './new-import.tsx'
import { IMPORTS_PAGE, useImports } from './use-imports.ts'

export default function Imports() {
  return (
    <Screen title="Imports" lead="Create or update many assets or locations with a CSV file.">
      <NewImport />
      <ImportList />
    </Screen>
  )
}

function ImportList() {
  const [list, setList] = useUrlState({ offset: '0' })
  const imports = useImports(list.offset)
  return (
    <section aria-labelledby="imports-title">
      <Title order={2} size="h4" id="imports-title" mb="sm">
        All imports
      </Title>
      <Loaded query={imports} what="the imports">
        {({ data, total_count: total }) =>
          total === 0 ? (
            <EmptyState title="No imports yet">
              Choose a file above and check it. You see the effect of each row before anything changes.
            </EmptyState>
          ) : (
            <>
              <ImportsTable imports={data} />
              <Pager
                offset={Number(list.offset)}
                limit={IMPORTS_PAGE}
                total={total}
                onOffset={(offset) => setList({ offset: String(offset) })}
                what="imports"
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const COUNTS = [
  ['Rows', 'rows_total'],
  ['Created', 'created'],
  ['Updated', 'updated'],
  ['Unchanged', 'unchanged'],
] as const

function ImportsTable({ imports }: { imports: readonly Import[] }) {
  const number = new Intl.NumberFormat()
  return (
    <StackedTable label="Table of imports" minWidth={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Import</Table.Th>
          <Table.Th>Started</Table.Th>
          <Table.Th>Status</Table.Th>
          {[...COUNTS.map(([name]) => name), 'Failed'].map((name) => (
            <Table.Th key={name} ta="right">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {imports.map((each) => (
          <Table.Tr key={each.id}>
            <Cell>
              <Anchor component={Link} to={`/imports/${each.id}`} fz="sm">
                {titleOf(each)}
              </Anchor>
            </Cell>
            <Cell label="Started">
              <When at={each.created_at} />
            </Cell>
            <Cell label="Status">
              <State of={each} />
            </Cell>
            {COUNTS.map(([name, count]) => (
              <Cell key={name} label={name} align="right">
                {number.format(each[count])}
              </Cell>
            ))}
            <Cell label="Failed" align="right">
              <Text
                size="sm"
                fw={each.failed > 0 ? 700 : 400}
                c={each.failed > 0 ? 'var(--mantine-color-error)' : undefined}
              >
                {number.format(each.failed)}
              </Text>
            </Cell>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}

const COLORS: Readonly<Record<string, string>> = {
  done: 'green',
  failed: 'red',
  running: 'blue',
  pending: 'blue',
}

const State = ({ of: each }: { of: Import }) => (
  <Badge variant="light" color={COLORS[each.state] ?? 'gray'}>
    {isUnfinished(each) ? `${stateText(each.state)} ${percentOf(each)} %` : stateText(each.state)}
  </Badge>
)
