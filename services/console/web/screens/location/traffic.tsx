import { Text } from '@mantine/core'
import { EXPENSIVE_MS, useReloadOnMovement } from '../../live/use-live.ts'
import { Card } from '../../parts/card.tsx'
import { HourBars } from '../../parts/hour-bars.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useMovementsByHour } from './location-queries.ts'

/** Arrivals and departures of a location by hour, and movements between its sub-locations. */
export function Traffic({ id }: { id: number }) {
  const movements = useMovementsByHour(id)
  useReloadOnMovement([['movements']], EXPENSIVE_MS)
  return (
    <Card title="Movements in the last 24 hours">
      <Text size="sm" c="dimmed">
        Including sub-locations. “Inside” counts movements from one of them to another.
      </Text>
      <Loaded query={movements} what="movements">
        {({ hours }) => (
          <HourBars
            title="Movements in the last 24 hours"
            hours={hours.map(({ hour }) => hour)}
            series={[
              {
                label: 'in',
                color: 'var(--chart-1)',
                values: hours.map((each) => each.in ?? 0),
              },
              {
                label: 'out',
                color: 'var(--chart-2)',
                values: hours.map((each) => each.out ?? 0),
              },
              {
                label: 'inside',
                color: 'var(--chart-3)',
                values: hours.map((each) => each.within ?? 0),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
