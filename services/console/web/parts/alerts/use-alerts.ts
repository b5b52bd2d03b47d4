import { useQuery } from '@tanstack/react-query'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { api } from '../../session/api.ts'
import { usePage } from '../load/use-read.ts'
import { useSend } from '../form/use-send.ts'
import { type AlertQuery, OPEN, raisedOf, STALE_MS } from './alert-text.ts'

/** The live feed has movements and no alerts. Most alerts come with a movement; timers and readers raise the others. */
export const REFRESH_MS = STALE_MS / 3
/** After movements, at most so often. */
const AFTER_MOVEMENT_MS = 5_000

/** Raised alerts, for the frame. All that shows alerts follows movements while the frame does. */
export function useRaised() {
  useReloadOnMovement([['alerts']], AFTER_MOVEMENT_MS)
  return useQuery({
    queryKey: ['alerts', 'raised'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) =>
      raisedOf((query) => api.page('/api/v1/alerts', { query: { ...query, state: ['raised'] }, signal })),
  })
}

/** A page of alerts that match, newest first. */
export const useAlerts = (query: AlertQuery) =>
  usePage(['alerts', 'list', query], '/api/v1/alerts', { query, refetchInterval: REFRESH_MS })

/** What is open of one thing: the newest, and how many. */
export const useOpenAlerts = (of: Pick<AlertQuery, 'asset_id' | 'location_id' | 'reader_id'>) =>
  useAlerts({ ...of, state: [...OPEN], limit: 5 })

export const RELOADED = [['alerts']] as const

/** Acknowledges one. A note replaces the one before; without one, that stays. */
export const useAcknowledge = (id: number) =>
  useSend(
    (note: string) => {
      const body = note === '' ? {} : { note }
      return api.post('/api/v1/alerts/{alert_id}/acknowledge', { path: { alert_id: id }, body })
    },
    { reload: RELOADED },
  )
