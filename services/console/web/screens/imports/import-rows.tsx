import { Anchor, Group, SegmentedControl, Table, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { FailedRowsButton } from './failed-rows-button.tsx'
import type { Import } from './import-files.ts'
import { OUTCOMES, ROWS_PAGE, useImportRows, type ImportRow, type Outcome } from './use-imports.ts'

/** The outcome of each row. Shows failed rows first if there are any. */
export function ImportRows({ data: one }: { data: Import }) {
  const [list, setList] = useUrlState({ rows: '', offset: '0' })
  const chosen = list.rows === '' ? (one.failed > 0 ? 'failed' : 'all') : list.rows
  const outcome = OUTCOMES.find((known) => known === chosen)
  const rows = useImportRows(one, outcome, Number(list.offset))
  const isPhone = useMediaQuery('(max-width: 47.99em)')
  const number = new Intl.NumberFormat()
  const choices = [
    ...OUTCOMES.map((value) => ({ value, label: `${TEXTS[value]} (${number.format(one[value])})` })),
    { value: 'all', label: `All (${number.format(one.rows_done)})` },
  ]
  return (
    <section aria-labelledby="rows-title">
      <Title order={2} size="h4" id="rows-title" mb="sm">
        Rows
      </Title>
      <Group mb="sm">
        <SegmentedControl
          data={choices}
          value={outcome ?? 'all'}
          onChange={(value) => setList({ rows: value, offset: '0' })}
          aria-label="Show rows"
          orientation={isPhone ? 'vertical' : 'horizontal'}
        />
        {one.failed > 0 && <FailedRowsButton one={one} />}
      </Group>
      <Loaded query={rows} what="the rows">
        {({ data, total_count: total }) =>
          total === 0 ? (
            <Text size="sm">
              {outcome ? `No ${TEXTS[outcome].toLowerCase()} rows.` : 'No rows processed yet.'}
            </Text>
          ) : (
            <>
              <Rows rows={data} one={one} />
              <Pager
                offset={Number(list.offset)}
                limit={ROWS_PAGE}
                total={total}
                onOffset={(offset) => setList({ offset: String(offset) })}
                what="rows"
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const TEXTS: Readonly<Record<Outcome, string>> = {
  failed: 'Failed',
  created: 'Created',
  updated: 'Updated',
  unchanged: 'Unchanged',
}

function Rows({ rows, one }: { rows: readonly ImportRow[]; one: Import }) {
  return (
    <StackedTable label="Rows of the file" minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={80}>Line</Table.Th>
          <Table.Th w={200}>External key</Table.Th>
          <Table.Th w={120}>Outcome</Table.Th>
          <Table.Th>Details</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.line}>
            <Cell label="Line">{row.line}</Cell>
            <Cell label="External key">
              <Text size="sm" ff="monospace" component="div">
                <Key row={row} one={one} />
              </Text>
            </Cell>
            <Cell label="Outcome">
              {OUTCOMES.some((known) => known === row.outcome) ? TEXTS[row.outcome as Outcome] : row.outcome}
            </Cell>
            <Cell label="Details">
              <Details row={row} />
            </Cell>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}

function Key({ row: { id, external_key: key }, one }: { row: ImportRow; one: Import }) {
  if (id === null) return key ?? '–'
  return (
    <Anchor component={Link} to={`/${one.resource}/${id}`} inherit>
      {key ?? 'Open'}
    </Anchor>
  )
}

/** The errors by column, or the columns that change. */
function Details({ row: { errors, changes, outcome } }: { row: ImportRow }) {
  if (errors.length === 0)
    return (
      <Text size="sm">
        {outcome === 'updated' && changes.length > 0 ? `Changes ${changes.join(', ')}` : ''}
      </Text>
    )
  return (
    <>
      {errors.map(({ field, message }) => (
        <Text key={`${field} ${message}`} size="sm">
          <b>{field}</b>
          {`: ${message}`}
        </Text>
      ))}
    </>
  )
}
