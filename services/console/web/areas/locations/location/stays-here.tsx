import { Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { EXPENSIVE_MS, useReloadOnMovement } from '../../../live/use-live.ts'
import { combined } from '../../../parts/load/combined-query.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { useHere } from '../../../parts/locations/location-queries.ts'
import { Card } from '../../../parts/page/card.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { api } from '../../../session/api.ts'
import { NO_VISITS, stayWords, type Week } from './stay-words.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const REFRESH_MS = 60_000

const useStays = (id: number, deep: boolean) =>
  useQuery({
    queryKey: ['report', 'visits', id, deep],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const weekUntil = async (ms: number): Promise<Week> => {
        const query = {
          group_by: 'location' as const,
          location_id: [id],
          include_descendants: deep,
          from: new Date(ms - WEEK_MS).toISOString(),
          to: new Date(ms).toISOString(),
        }
        const { data } = await api.page('/api/v1/reports/visits', { query, signal })
        return data[0] ?? NO_VISITS
      }
      const [week, before] = await Promise.all([weekUntil(now), weekUntil(now - WEEK_MS)])
      return { week, before }
    },
  })

/** How long things stay at a location, against the week before. It counts sub-locations if "Here now" does. */
export function StaysHere({ id }: { id: number }) {
  const [{ inside, offset }] = useUrlState({ inside: 'yes', offset: '0' })
  const deep = inside === 'yes'
  // The page that "Here now" shows, so that one request serves both.
  const found = combined({ stays: useStays(id, deep), here: useHere(id, { deep, offset: Number(offset) }) })
  useReloadOnMovement([['report', 'visits']], EXPENSIVE_MS)
  return (
    <Card title="How long things stay here">
      <Loaded query={found} what="the visits">
        {({ stays: { week, before }, here }) => (
          <ul className="facts">
            {stayWords(week, before, here.total_count).map((each) => (
              <Text component="li" size="sm" key={each}>
                {each}
              </Text>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
