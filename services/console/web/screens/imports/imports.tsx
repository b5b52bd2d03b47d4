import { Anchor, Badge, Table, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Screen } from '../../parts/screen.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
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

function ImportsTable({ imports }: { imports: readonly Import[] }) {
  const number = new Intl.NumberFormat()
  return (
    <ScrollRegion label="All imports">
      <Table miw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Import</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th>Status</Table.Th>
            {['Rows', 'Created', 'Updated', 'Unchanged', 'Failed'].map((name) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {imports.map((each) => (
            <Table.Tr key={each.id}>
              <Table.Td>
                <Anchor component={Link} to={`/imports/${each.id}`} fz="sm">
                  {titleOf(each)}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <When at={each.created_at} />
              </Table.Td>
              <Table.Td>
                <State of={each} />
              </Table.Td>
              {[each.rows_total, each.created, each.updated, each.unchanged].map((count, i) => (
                // oxlint-disable-next-line react/no-array-index-key -- the columns above
                <Table.Td key={i} ta="right">
                  {number.format(count)}
                </Table.Td>
              ))}
              <Table.Td ta="right">
                <Text
                  size="sm"
                  fw={each.failed > 0 ? 700 : 400}
                  c={each.failed > 0 ? 'var(--mantine-color-error)' : undefined}
                >
                  {number.format(each.failed)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
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
