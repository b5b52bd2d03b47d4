import { Text } from '@mantine/core'
import { EXPENSIVE_MS, useReloadOnMovement } from '../../live/use-live.ts'
import { useRead } from '../load/use-read.ts'
import { Card } from '../page/card.tsx'
import { HourBars } from './hour-bars.tsx'
import { Loaded } from '../load/loaded.tsx'

const TITLE = 'Movements in the last 24 hours'

/** Of a location: arrivals, departures, and movements between its sub-locations. Without one: all movements. */
export function MovementsByHour({ id }: { id?: number }) {
  const movements = useMovementsByHour(id)
  useReloadOnMovement([['movements']], EXPENSIVE_MS)
  return (
    <Card title={TITLE}>
      {id !== undefined && (
        <Text size="sm" c="dimmed">
          Including sub-locations. “Inside” counts movements from one of them to another.
        </Text>
      )}
      <Loaded query={movements} what="movements">
        {({ hours }) => {
          const chart = (n: number, label: string, field: 'moves' | 'in' | 'out' | 'within') => ({
            label,
            color: `var(--chart-${n})`,
            values: hours.map((hour) => hour[field] ?? 0),
          })
          const ofLocation = () => [
            chart(1, 'in', 'in'),
            chart(2, 'out', 'out'),
            chart(3, 'inside', 'within'),
          ]
          const series = id === undefined ? [chart(1, 'movements', 'moves')] : ofLocation()
          return <HourBars title={TITLE} hours={hours.map(({ hour }) => hour)} series={series} />
        }}
      </Loaded>
    </Card>
  )
}

const useMovementsByHour = (id?: number) =>
  useRead(['movements', 'by hour', id ?? 'all'], '/api/v1/movements/summary', {
    query: id === undefined ? {} : { location_id: id, include_descendants: true },
    refetchInterval: 60_000,
  })
