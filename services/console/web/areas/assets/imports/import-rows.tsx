import { Anchor, Group, SegmentedControl, Text, Title, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Column } from '../../../parts/table/data-table.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import type { Import } from './import-files.ts'
import { OUTCOMES, useImportRows, type ImportRow, type Outcome, type RowFilter } from './use-imports.ts'
import { unwrap } from '@whereabouts/client/client'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { saveFile } from '../../../parts/download/save-file.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { client } from '../../../session/api.ts'

/** The outcome of each row. Shows failed rows first if there are any. */
export function ImportRows({ data: one }: { data: Import }) {
  const [list, setList] = useUrlState({ rows: '', offset: '0' })
  const chosen = list.rows === '' ? (one.failed > 0 ? 'failed' : 'all') : list.rows
  const filter = FILTERS.find((known) => known === chosen)
  const rows = useImportRows(one, filter, Number(list.offset))
  const columns = useMemo(() => columnsOf(one.resource), [one.resource])
  const isPhone = useMediaQuery('(max-width: 47.99em)')
  const number = new Intl.NumberFormat()
  const choices = [
    ...FILTERS.filter((value) => value !== 'warned' || one.warned > 0).map((value) => ({
      value,
      label: `${TEXTS[value]} (${number.format(one[value])})`,
    })),
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
          value={filter ?? 'all'}
          onChange={(value) => setList({ rows: value, offset: '0' })}
          aria-label="Show rows"
          orientation={isPhone ? 'vertical' : 'horizontal'}
        />
        {one.failed > 0 && <FailedRowsButton one={one} />}
      </Group>
      <PagedTable
        label="Rows of the file"
        query={rows}
        what="rows"
        columns={columns}
        rowKey={({ line }) => line}
        minWidth={640}
        empty={
          <Text size="sm">
            {filter ? `No ${TEXTS[filter].toLowerCase()} rows.` : 'No rows processed yet.'}
          </Text>
        }
        offset={list.offset}
        onOffset={(offset) => setList({ offset })}
      />
    </section>
  )
}

const FILTERS: readonly RowFilter[] = ['failed', 'warned', ...OUTCOMES.filter((one) => one !== 'failed')]

const TEXTS: Readonly<Record<RowFilter, string>> = {
  failed: 'Failed',
  warned: 'Doubtful',
  created: 'Created',
  updated: 'Updated',
  unchanged: 'Unchanged',
}

const columnsOf = (resource: Import['resource']): readonly Column<ImportRow>[] => [
  { label: 'Line', width: 80, cell: ({ line }) => line },
  {
    label: 'External key',
    width: 200,
    cell: (row) => (
      <Text size="sm" ff="monospace" component="div">
        <Key row={row} resource={resource} />
      </Text>
    ),
  },
  {
    label: 'Outcome',
    width: 120,
    cell: ({ outcome }) =>
      OUTCOMES.some((known) => known === outcome) ? TEXTS[outcome as Outcome] : outcome,
  },
  { label: 'Details', cell: (row) => <Details row={row} /> },
]

type KeyProps = { row: ImportRow; resource: Import['resource'] }

function Key({ row: { id, external_key: key }, resource }: KeyProps) {
  if (id === null) return key ?? '–'
  return (
    <Anchor component={Link} to={`/${resource}/${id}`} inherit>
      {key ?? 'Open'}
    </Anchor>
  )
}

/** The errors by column, or the columns that change. Then what is doubtful. */
function Details({ row: { errors, warnings, changes, outcome } }: { row: ImportRow }) {
  const isUpdate = errors.length === 0 && outcome === 'updated' && changes.length > 0
  return (
    <>
      {isUpdate && <Text size="sm">{`Changes ${changes.join(', ')}`}</Text>}
      {errors.map((error) => (
        <Problem key={`${error.field} ${error.message}`} problem={error} />
      ))}
      {warnings.map((warning) => (
        <Problem key={`${warning.field} ${warning.message}`} problem={warning} isDoubt />
      ))}
    </>
  )
}

type ProblemProps = { problem: { field: string; message: string }; isDoubt?: boolean }

function Problem({ problem: { field, message }, isDoubt = false }: ProblemProps) {
  return (
    <Text size="sm">
      {isDoubt && 'Doubtful: '}
      <b>{field}</b>
      {message.startsWith(`${field} `) ? message.slice(field.length) : `: ${message}`}
    </Text>
  )
}

/** The failed rows as they were in the file, each with its error: to be corrected and imported again. */
function FailedRowsButton({ one: { id, resource } }: { one: Import }) {
  const send = useSend(
    async () => {
      const params = { path: { import_id: id } }
      return unwrap(await client.GET('/api/v1/imports/{import_id}/failed-rows', { params, parseAs: 'blob' }))
    },
    { onDone: (file) => file && saveFile(file, `${resource}-failed-rows.csv`) },
  )
  return (
    <>
      <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
        Download failed rows
      </Button>
      {send.error !== undefined && <FailureNotice error={send.error} />}
    </>
  )
}
