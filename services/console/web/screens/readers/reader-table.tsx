import { Table } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { SortHeading } from '../../parts/sort-heading.tsx'
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
    <ScrollRegion label="Readers">
      <Table miw={860}>
        <Table.Thead>
          <Table.Tr>
            <SortHeading label="Reader" field="reader_key" sort={sort} onSort={onSort} />
            <Table.Th>Status</Table.Th>
            <SortHeading label="Last seen" field="last_seen_at" sort={sort} onSort={onSort} />
            <SortHeading label="Reads per minute" field="reads_per_minute" sort={sort} onSort={onSort} />
            <Table.Th>Clock</Table.Th>
            <Table.Th>Problems</Table.Th>
            <Table.Th>Format</Table.Th>
            <Table.Th aria-label="Actions" />
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
      </Table>
    </ScrollRegion>
  )
}
