import { Anchor, SegmentedControl, Table, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import type { Import } from './import-files.ts'
import { OUTCOMES, ROWS_PAGE, useImportRows, type ImportRow, type Outcome } from './use-imports.ts'

/** The outcome of each row. Shows failed rows first if there are any. */
export function ImportRows({ data: one }: { data: Import }) {
  const [list, setList] = useUrlState({ rows: '', offset: '0' })
  const chosen = list.rows === '' ? (one.failed > 0 ? 'failed' : 'all') : list.rows
  const outcome = OUTCOMES.find((known) => known === chosen)
  const rows = useImportRows(one, outcome, Number(list.offset))
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
      <div className="scrolls">
        <SegmentedControl
          data={choices}
          value={outcome ?? 'all'}
          onChange={(value) => setList({ rows: value, offset: '0' })}
          aria-label="Show rows"
          mb="sm"
        />
      </div>
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
    <ScrollRegion label="Rows of the file">
      <Table miw={640}>
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
              <Table.Td>{row.line}</Table.Td>
              <Table.Td ff="monospace">
                <Key row={row} one={one} />
              </Table.Td>
              <Table.Td>
                {OUTCOMES.some((known) => known === row.outcome)
                  ? TEXTS[row.outcome as Outcome]
                  : row.outcome}
              </Table.Td>
              <Table.Td>
                <Details row={row} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
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
