import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

const READERS_PAGE = 50
const REFRESH_MS = 10_000
export const READERS_DEFAULTS = { q: '', kind: '', status: '', sort: 'reader_key', offset: '0' }
export type ReaderFilter = typeof READERS_DEFAULTS

const STATUSES = ['online', 'silent', 'never_heard'] as const

export function useReaders({ q, kind, status, sort, offset }: ReaderFilter) {
  const query = {
    limit: READERS_PAGE,
    offset: Number(offset),
    sort,
    ...(q !== '' && { q }),
    ...(kind !== '' && { configured: kind === 'true' }),
    ...(status !== '' && { status: STATUSES.filter((known) => known === status) }),
  }
  return useQuery({
    queryKey: ['readers', query],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/readers', { params: { query }, signal })),
  })
}
