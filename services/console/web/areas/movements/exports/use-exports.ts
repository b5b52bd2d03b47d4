import type { ApiError } from '@whereabouts/client/client'
import { usePage, useRead } from '../../../parts/load/use-read.ts'
import { api } from '../../../session/api.ts'
import { type Export, isUnfinished } from './export-texts.ts'

const PAGE = 20
/** Not while the page is hidden: queries do not refetch in the background. */
const POLL_MS = 2_000

export function useExports(offset: string) {
  const query = { limit: PAGE, offset: Number(offset) || 0 }
  return usePage(['exports', 'list', query], '/api/v1/exports', {
    query,
    refetchInterval: ({ state }) => (state.data?.data.some(isUnfinished) ? POLL_MS : false),
  })
}

/** Read again until it ends. */
export const useOneExport = (id: number) =>
  useRead(['exports', 'one', id], '/api/v1/exports/{export_id}', {
    path: { export_id: id },
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? POLL_MS : false),
  })

export const beginExport = (body: Parameters<typeof api.post<'/api/v1/exports'>>[1]['body']) =>
  api.post('/api/v1/exports', { body })

export const removeExport = async ({ id }: Pick<Export, 'id'>): Promise<void> => {
  await api.delete('/api/v1/exports/{export_id}', { path: { export_id: id } })
}

/** A 429 is of the rate, which passes, or of too many exports, about which somebody can do something. */
export const tooManyExports = ({ type, detail }: NonNullable<ApiError['error']>) =>
  type === 'rate_limited' && detail.includes('unfinished exports')
    ? {
        title: 'Too many exports are not done yet',
        detail: 'Wait until one of the list is done, or delete one. Then begin this one again.',
      }
    : undefined
