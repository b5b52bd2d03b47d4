import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../../parts/load/all-pages.ts'
import { api } from '../../../session/api.ts'
import { dwellsOfDay, type Day, type Next } from './day.ts'

/** A row for each minute of the longest day. */
const MOST_ROWS = 25 * 60
const REFRESH_MS = 60_000

/** The dwells of an asset in a day. `isCut`: there were more sightings than it loads, and the first ones are missing. */
export const useDay = (id: number, { start, end }: Day, isToday: boolean) =>
  useQuery({
    queryKey: ['asset', id, 'day', start, isToday],
    refetchInterval: isToday ? REFRESH_MS : false,
    queryFn: async ({ signal }) => {
      const load = (query: { limit: number; offset: number; from?: string; to: string }) =>
        api.page('/api/v1/assets/{asset_id}/sightings', { path: { asset_id: id }, query, signal })
      const period = { from: instant(start), to: instant(end - 1) }
      const [{ rows: sightings, total }, earlier, next] = await Promise.all([
        allPages((page) => load({ ...page, ...period }), MOST_ROWS),
        load({ limit: 1, offset: 0, to: instant(start - 1) }),
        isToday ? undefined : firstSince(id, end, signal),
      ])
      const isCut = total > sightings.length
      const before = isCut ? undefined : earlier.data[0]
      return { dwells: dwellsOfDay({ sightings, before, next }), isCut }
    },
  })

const instant = (at: number) => new Date(at).toISOString()

/** From the public history, because it can be read from its beginning. */
async function firstSince(id: number, at: number, signal: AbortSignal): Promise<Next | undefined> {
  const query = { from: instant(at), limit: 1, sort: 'event_observed_at' }
  const [row] = await api.get('/api/v1/assets/{asset_id}/history', { path: { asset_id: id }, query, signal })
  return row && { observed_at: row.event_observed_at, location_id: row.location_id }
}
