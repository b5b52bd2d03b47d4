import { Button } from '@mantine/core'
import { useState } from 'react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Screen } from '../../parts/screen.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { useSession } from '../../session/use-session.ts'
import { AddReader } from './add-reader.tsx'
import { ReaderFilters } from './reader-filters.tsx'
import { ReaderTable } from './reader-table.tsx'
import { READERS_DEFAULTS as DEFAULTS, READERS_PAGE as PAGE, useReaders } from './use-readers.ts'

/** Configured and discovered readers with their health. */
export default function Readers() {
  const { isAdmin } = useSession()
  const [filter, setFilter] = useUrlState(DEFAULTS)
  const [adding, setAdding] = useState<string>()
  const readers = useReaders(filter)
  const isFiltered = filter.q !== '' || filter.kind !== '' || filter.status !== ''
  const add = (
    <Button onClick={() => setAdding('')} disabled={!isAdmin}>
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
      <Loaded query={readers} what="the readers">
        {({ data, total_count: total }) =>
          data.length === 0 && Number(filter.offset) === 0 ? (
            <EmptyState
              title={isFiltered ? 'No matching readers' : 'No readers yet'}
              action={isFiltered ? undefined : add}
            >
              {isFiltered
                ? 'Change the filters above.'
                : 'Add one, then copy its settings to the device. Devices that send with your credentials appear here by themselves.'}
            </EmptyState>
          ) : (
            <>
              <ReaderTable
                readers={data}
                sort={filter.sort}
                onSort={(sort) => setFilter({ sort, offset: '0' })}
                onConfigure={isAdmin ? setAdding : undefined}
              />
              <Pager
                offset={Number(filter.offset)}
                limit={PAGE}
                total={total}
                onOffset={(offset) => setFilter({ offset: String(offset) })}
                what="readers"
              />
            </>
          )
        }
      </Loaded>
      {adding !== undefined && <AddReader readerKey={adding} onClose={() => setAdding(undefined)} />}
    </Screen>
  )
}
