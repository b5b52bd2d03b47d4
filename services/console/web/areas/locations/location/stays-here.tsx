import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useReloadOnMovement } from '../../../live/use-live.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { api } from '../../../session/api.ts'
import { NO_VISITS, stayWords, type Week } from './stay-words.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const REFRESH_MS = 60_000

const useStays = (id: number) =>
  useQuery({
    queryKey: ['report', 'visits', id],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const weekUntil = async (ms: number): Promise<Week> => {
        const query = {
          group_by: 'location' as const,
          location_id: [id],
          include_descendants: true,
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

/** How long things stay at a location or below it, against the week before. */
export function StaysHere({ id }: { id: number }) {
  const stays = useStays(id)
  useReloadOnMovement([['report', 'visits']])
  return (
    <Card title="How long things stay here">
      <Loaded query={stays} what="the visits">
        {({ week, before }) => {
          const said = stayWords(week, before)
          return said.length === 0 ? (
            <Text size="sm" c="dimmed">
              No visits in the last two weeks.
            </Text>
          ) : (
            <ul className="facts">
              {said.map((each) => (
                <Text component="li" size="sm" key={each}>
                  {each}
                </Text>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}
