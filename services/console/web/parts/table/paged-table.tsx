import type { ReactNode } from 'react'
import type { LoadedQuery } from '../load/combined-query.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Loaded } from '../load/loaded.tsx'
import { Pager } from './pager.tsx'

type Props<Row> = DataTableProps<Row> & {
  query: LoadedQuery<{ data: readonly Row[]; limit: number; total_count: number }>
  /** The plural: `assets`. */
  what: string
  /** Instead of the table, while there is not a single row. */
  empty: ReactNode
  /** As in the address of the page. */
  offset: string
  onOffset: (offset: string) => void
}

/** One page of a list of the API: its state, its rows, and the way to other pages. */
export function PagedTable<Row>({ query, what, empty, offset, onOffset, ...table }: Props<Row>) {
  return (
    <Loaded query={query} what={`the ${what}`}>
      {({ data, limit, total_count: total }) =>
        total === 0 ? (
          empty
        ) : (
          <div>
            <DataTable {...table} rows={data} />
            <Pager
              offset={Number(offset) || 0}
              limit={limit}
              total={total}
              onOffset={(next) => onOffset(String(next))}
              what={what}
            />
          </div>
        )
      }
    </Loaded>
  )
}
