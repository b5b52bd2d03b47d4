import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePage, useRead } from '../../../parts/load/use-read.ts'
import { isUnfinished, type Import } from './import-files.ts'

const IMPORTS_PAGE = 20
const ROWS_PAGE = 50
const POLL_MS = 1_000

export function useImports(offset: string) {
  const query = { limit: IMPORTS_PAGE, offset: Number(offset) }
  return usePage(['imports', 'list', query], '/api/v1/imports', {
    query,
    refetchInterval: ({ state }) => (state.data?.data.some(isUnfinished) ? POLL_MS : false),
  })
}

/** Polled every second until it ends. */
export const useImport = (id: number) =>
  useRead(['imports', 'one', id], '/api/v1/imports/{import_id}', {
    path: { import_id: id },
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? POLL_MS : false),
  })

export const OUTCOMES = ['failed', 'created', 'updated', 'unchanged'] as const
export type Outcome = (typeof OUTCOMES)[number]
/** Rows of one outcome, or with a warning. */
export type RowFilter = Outcome | 'warned'
export type ImportRow = NonNullable<ReturnType<typeof useImportRows>['data']>['data'][number]

/** Rows in file order; `shown` undefined means all. Reloads while the import runs. */
export function useImportRows(
  { id, state, rows_done: done }: Import,
  shown: RowFilter | undefined,
  offset: number,
) {
  const filter = shown === 'warned' ? { warned: true } : shown && { outcome: [shown] }
  const query = { limit: ROWS_PAGE, offset, ...filter }
  return usePage(['imports', 'rows', id, query, state, done], '/api/v1/imports/{import_id}/rows', {
    path: { import_id: id },
    query,
  })
}

/** Reloads the lists that an import changed. A short import may end before its first poll. */
export function useReloadWhenDone(data: Import | undefined): void {
  const client = useQueryClient()
  const hasChanged = data !== undefined && !data.dry_run && !isUnfinished(data)
  useEffect(() => {
    if (!hasChanged) return
    for (const prefix of ['asset', 'assets', 'location', 'locations'])
      void client.invalidateQueries({ queryKey: [prefix] })
  }, [client, hasChanged])
}
