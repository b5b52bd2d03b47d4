import { useQuery } from '@tanstack/react-query'
import { api } from '../../session/api.ts'
import type { Uses } from './heat/heat.ts'

const HOUR_MS = 3_600_000
/** It reads all movements of the time, and changes slowly. */
const FRESH_MS = 300_000

export const RANGES = [
  { value: 'today', label: 'Today' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 days' },
] as const
export type Range = (typeof RANGES)[number]['value'] | { fromMs: number; toMs: number }

/** What each location had in a time: until now, or one of the past. */
export const useLocationUses = (range: Range, enabled = true) =>
  useQuery({
    queryKey: ['location uses', range],
    enabled,
    staleTime: FRESH_MS,
    refetchInterval: typeof range === 'string' && FRESH_MS,
    queryFn: async ({ signal }): Promise<{ uses: Uses; isCut: boolean }> => {
      const { fromMs, toMs } = typeof range === 'string' ? untilNow(range, Date.now()) : range
      const query = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
      const data = await api.get('/api/v1/movements/by-location', { query, signal })
      const uses = new Map(data.locations.map((use) => [use.location_id, use]))
      return { uses, isCut: data.is_cut }
    },
  })

function untilNow(range: Exclude<Range, object>, now: number) {
  if (range !== 'today') return { fromMs: now - (range === '24h' ? 24 : 7 * 24) * HOUR_MS, toMs: now }
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  return { fromMs: Math.min(midnight, now - 1000), toMs: now }
}
