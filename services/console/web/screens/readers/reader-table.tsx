import { Table, VisuallyHidden } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { SortHeading } from '../../parts/sort-heading.tsx'
import { StackedTable } from '../../parts/stacked-table.tsx'
import { ReaderRow } from './reader-row.tsx'

type Props = {
  readers: readonly components['schemas']['Reader'][]
  sort: string
  onSort: (sort: string) => void
  /** Undefined for people who are not administrators. */
  onConfigure: ((readerKey: string) => void) | undefined
}

export function ReaderTable({ readers, sort, onSort, onConfigure }: Props) {
  return (
    <StackedTable label="Readers" minWidth={860}>
      <Table.Thead>
        <Table.Tr>
          <SortHeading label="Reader" field="reader_key" sort={sort} onSort={onSort} />
          <Table.Th>Status</Table.Th>
          <SortHeading label="Last heard" field="last_seen_at" sort={sort} onSort={onSort} />
          <SortHeading label="Reads per minute" field="reads_per_minute" sort={sort} onSort={onSort} />
          <Table.Th>Clock</Table.Th>
          <Table.Th>Problems</Table.Th>
          <Table.Th>Kind of reader</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {readers.map((reader) => (
          <ReaderRow
            key={reader.reader_key}
            reader={reader}
            onConfigure={onConfigure && (() => onConfigure(reader.reader_key))}
          />
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}
