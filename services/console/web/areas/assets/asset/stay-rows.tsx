import { useState } from 'react'
import type { Column } from '../../../parts/table/data-table.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import { type Dwell, locationText, type Sighting } from './sightings.ts'
import { useStayRows } from './use-asset.ts'
import { Source } from './why.tsx'

/** The stored rows of a stay, as they were recorded. */
export function StayRows({ id, stay }: { id: number; stay: Dwell }) {
  const [offset, setOffset] = useState('0')
  const rows = useStayRows(id, stay, Number(offset))
  return (
    <PagedTable
      label={`Rows at ${locationText(stay.location)}`}
      query={rows}
      what="rows"
      columns={COLUMNS}
      rowKey={({ observed_at: at }) => at}
      minWidth={400}
      empty={null}
      offset={offset}
      onOffset={setOffset}
    />
  )
}

const COLUMNS: readonly Column<Sighting>[] = [
  { label: 'Seen', cell: ({ observed_at: at }) => <When at={at} as="day" /> },
  { label: 'Source', cell: (row) => <Source sighting={row} /> },
  { label: 'Tag', cell: ({ tag }) => tag?.value ?? '–' },
]
