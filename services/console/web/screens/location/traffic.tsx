import { SELDOM_MS, useReloadOnMovement } from '../../live/use-live.ts'
import { Card } from '../../parts/card.tsx'
import { HourBars } from '../../parts/hour-bars.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useMovementsByHour } from './location-queries.ts'

/** What came to a location and what left it. */
export function Traffic({ id }: { id: number }) {
  const movements = useMovementsByHour(id)
  useReloadOnMovement([['movements']], SELDOM_MS)
  return (
    <Card title="Movements of the last 24 hours">
      <Loaded query={movements} what="movements">
        {({ hours }) => (
          <HourBars
            title="Movements of the last 24 hours"
            hours={hours.map(({ hour }) => hour)}
            series={[
              {
                label: 'in',
                color: 'var(--mantine-color-blue-filled)',
                values: hours.map((each) => each.in ?? 0),
              },
              {
                label: 'out',
                color: 'var(--mantine-color-orange-filled)',
                values: hours.map((each) => each.out ?? 0),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
