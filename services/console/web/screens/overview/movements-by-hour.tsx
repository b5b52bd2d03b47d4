import { EXPENSIVE_MS, useReloadOnMovement } from '../../live/use-live.ts'
import { Card } from '../../parts/card.tsx'
import { HourBars } from '../../parts/hour-bars.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useMovementsByHour } from '../location/location-queries.ts'

export function MovementsByHour() {
  const movements = useMovementsByHour()
  useReloadOnMovement([['movements']], EXPENSIVE_MS)
  return (
    <Card title="Movements in the last 24 hours">
      <Loaded query={movements} what="movements">
        {({ hours }) => (
          <HourBars
            title="Movements in the last 24 hours"
            hours={hours.map(({ hour }) => hour)}
            series={[
              {
                label: 'movements',
                color: 'var(--chart-1)',
                values: hours.map(({ moves }) => moves),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
