import { usePage } from '../load/use-read.ts'

const READERS_PAGE = 50
const REFRESH_MS = 10_000
export const READERS_DEFAULTS = { q: '', kind: '', status: '', sort: 'severity', offset: '0' }
export type ReaderFilter = typeof READERS_DEFAULTS

const STATUSES = ['online', 'degraded', 'silent', 'never_heard'] as const
/** A reader that should send and does not. In the address, `quiet` means all of them. */
export const QUIET_STATUSES = ['silent', 'never_heard'] as const
const statusesOf = (status: string) =>
  status === 'quiet' ? [...QUIET_STATUSES] : STATUSES.filter((known) => known === status)

export function useReaders({ q, kind, status, sort, offset }: ReaderFilter) {
  const query = {
    limit: READERS_PAGE,
    offset: Number(offset),
    sort,
    ...(q !== '' && { q }),
    ...(kind !== '' && { configured: kind === 'true' }),
    ...(status !== '' && { status: statusesOf(status) }),
  }
  return usePage(['readers', query], '/api/v1/readers', { query, refetchInterval: REFRESH_MS })
}
