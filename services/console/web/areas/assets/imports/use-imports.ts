import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useEffect } from 'react'
import { api } from '../../../session/api.ts'
import { isUnfinished, type Import } from './import-files.ts'

const IMPORTS_PAGE = 20
const ROWS_PAGE = 50
const POLL_MS = 1_000

export function useImports(offset: string) {
  const query = { limit: IMPORTS_PAGE, offset: Number(offset) }
  return useQuery({
    queryKey: ['imports', 'list', query],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/imports', { params: { query }, signal })),
    refetchInterval: ({ state }) => (state.data?.data.some(isUnfinished) ? POLL_MS : false),
  })
}

/** Polled every second until it ends. */
export const useImport = (id: number) =>
  useQuery({
    queryKey: ['imports', 'one', id],
    queryFn: async ({ signal }) => {
      const params = { path: { import_id: id } }
      return unwrap(await api.GET('/api/v1/imports/{import_id}', { params, signal })).data
    },
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? POLL_MS : false),
  })

export const OUTCOMES = ['failed', 'created', 'updated', 'unchanged'] as const
export type Outcome = (typeof OUTCOMES)[number]
export type ImportRow = NonNullable<ReturnType<typeof useImportRows>['data']>['data'][number]

/** Rows in file order; `outcome` undefined means all. Reloads while the import runs. */
export function useImportRows(
  { id, state, rows_done: done }: Import,
  outcome: Outcome | undefined,
  offset: number,
) {
  const query = { limit: ROWS_PAGE, offset, ...(outcome && { outcome: [outcome] }) }
  return useQuery({
    queryKey: ['imports', 'rows', id, query, state, done],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { import_id: id }, query }
      return unwrap(await api.GET('/api/v1/imports/{import_id}/rows', { params, signal }))
    },
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
