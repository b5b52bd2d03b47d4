import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { EXPENSIVE_MS, useReloadOnMovement } from '../../../live/use-live.ts'
import { api } from '../../../session/api.ts'
import { chartOf, wholeOf, type Bins } from './brush.ts'
import { subjectOf, type Filter } from './filter.ts'

/** How many movements match in each part of the whole range; null without a range. */
export function useHistogram(filter: Filter) {
  useReloadOnMovement([['movements', 'histogram']], EXPENSIVE_MS)
  const { location, asset, type, inside } = filter
  return useQuery({
    queryKey: ['movements', 'histogram', wholeOf(filter), { location, asset, type, inside }],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Bins | null> => {
      const chart = chartOf(filter, Date.now())
      if (!chart) return null
      const { location_id: locations, include_descendants, ...subject } = subjectOf(filter)
      const query = {
        ...subject,
        ...(locations?.[0] !== undefined && { location_id: locations[0], include_descendants }),
        from: new Date(chart.fromMs).toISOString(),
        to: new Date(chart.toMs).toISOString(),
        step_seconds: chart.stepMs / 1000,
      }
      const data = await api.get('/api/v1/movements/summary', { query, signal })
      const counts = data.hours.map((step) =>
        locations ? (step.in ?? 0) + (step.out ?? 0) + (step.within ?? 0) : step.moves,
      )
      return { ...chart, counts, starts: data.hours.map(({ hour }) => Date.parse(hour)) }
    },
  })
}
