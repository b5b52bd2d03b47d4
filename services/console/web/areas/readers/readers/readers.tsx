import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useWanted } from '../../../parts/load/wanted.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useSession } from '../../../session/use-session.ts'
import { AddReader } from './add-reader.tsx'
import { readerColumns } from './reader-columns.tsx'
import { ReaderFilters } from './reader-filters.tsx'
import { READERS_DEFAULTS as DEFAULTS, useReaders } from '../../../parts/readers/use-readers.ts'
import { Icon } from '../../../parts/page/icon.tsx'

/** Configured and discovered readers with their health. */
export default function Readers() {
  const { isAdmin } = useSession()
  const [filter, setFilter] = useUrlState(DEFAULTS)
  const [adding, setAdding] = useState<string>()
  useWanted('add-reader', () => isAdmin && setAdding(''))
  const readers = useReaders(filter)
  const columns = useMemo(() => readerColumns(isAdmin ? setAdding : undefined), [isAdmin])
  const isFiltered = filter.q !== '' || filter.kind !== '' || filter.status !== ''
  const add = (
    <Button leftSection={<Icon of={IconPlus} size={16} />} onClick={() => setAdding('')} disabled={!isAdmin}>
      Add reader
    </Button>
  )
  return (
    <Screen
      title="Readers"
      lead={
        isAdmin
          ? 'Devices that read tags. A device that sends messages without being set up is listed as discovered.'
          : 'Devices that read tags. Only administrators can set them up.'
      }
      actions={add}
    >
      <ReaderFilters filter={filter} onChange={setFilter} />
      <PagedTable
        label="Readers"
        query={readers}
        what="readers"
        columns={columns}
        rowKey={({ reader_key: key }) => key}
        minWidth={1000}
        empty={
          <EmptyState
            title={isFiltered ? 'No matching readers' : 'No readers yet'}
            action={isFiltered ? undefined : add}
          >
            {isFiltered
              ? 'Change the filters above.'
              : 'Add one, then copy its settings to the device. Devices that send with your credentials appear here by themselves.'}
          </EmptyState>
        }
        sorting={{ sort: filter.sort, onSort: (sort) => setFilter({ sort, offset: '0' }) }}
        offset={filter.offset}
        onOffset={(offset) => setFilter({ offset })}
      />
      {adding !== undefined && (
        <AddReader
          readerKey={adding}
          health={readers.data?.data.find(({ reader_key: key }) => key === adding)?.health}
          onClose={() => setAdding(undefined)}
        />
      )}
    </Screen>
  )
}
