import { useQuery } from '@tanstack/react-query'
import { useReloadOnMovement } from '../../../live/use-live.ts'
import { allPages } from '../../../parts/load/all-pages.ts'
import { usePage } from '../../../parts/load/use-read.ts'
import { api } from '../../../session/api.ts'

/** Of more, the picture says at least so many. */
const MOST = 1_000
const SHOWN = 3
const REFRESH_MS = 30_000

/** How many assets are not at their home or below it, and the first few. */
export function useFirstMisplaced() {
  useReloadOnMovement([['report', 'misplaced']])
  return usePage(['report', 'misplaced', 'first'], '/api/v1/reports/asset-locations', {
    query: { misplaced: true, limit: SHOWN, expand: 'asset,location,home' },
    refetchInterval: REFRESH_MS,
  })
}

const NONE = { rows: [], total: 0 }

/** What is not at its home, in one list for all places. Nothing is read while there is nothing. */
export function useAllMisplaced() {
  const count = useFirstMisplaced().data?.total_count ?? 0
  const all = useQuery({
    queryKey: ['report', 'misplaced', 'all'],
    enabled: count > 0,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const load = (page: object) =>
        api.page('/api/v1/reports/asset-locations', { query: { ...page, misplaced: true }, signal })
      return allPages(load, MOST)
    },
  })
  // Without this, what was read last would stay after all came home.
  return (count > 0 && all.data) || NONE
}
