import { Button, Text } from '@mantine/core'
import { Card } from '../../../parts/page/card.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useNow } from '../../../parts/time/when.tsx'
import type { Asset } from '../assets/asset-fields.ts'
import { barsOf, dayOf, type Day } from './day.ts'
import { DayRibbon } from './day-ribbon.tsx'
import { useDay } from './use-day.ts'

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })

/** Where the asset was in a day. The address keeps the day. */
export function DayCard({ asset }: { asset: Asset }) {
  const [{ day: name }, setUrl] = useUrlState({ day: '' })
  const now = useNow()
  const today = dayOf('', now)
  const day = dayOf(name, now)
  const show = ({ name: next }: Day) => setUrl({ day: next === today.name ? '' : next })
  const loaded = useDay(asset.id, day, day.name === today.name)
  return (
    <Card
      title="Day"
      actions={
        <>
          <Button variant="default" size="xs" onClick={() => show(dayOf(day.name, now, -1))}>
            Previous day
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={day.name === today.name}
            onClick={() => show(dayOf(day.name, now, 1))}
          >
            Next day
          </Button>
        </>
      }
    >
      <Text size="sm" role="status">
        {dayFormat.format(day.start)}
      </Text>
      <Loaded query={loaded} what="the day">
        {({ dwells, isCut }) => {
          const bars = barsOf(dwells, day, now)
          if (bars.length === 0)
            return (
              <Text size="sm" c="dimmed">
                Not seen on this day or before.
              </Text>
            )
          return (
            <>
              <DayRibbon key={day.name} bars={bars} day={day} type={asset.type} />
              {isCut && (
                <Text size="sm" c="dimmed">
                  This day has more sightings than can be drawn. The first ones are missing.
                </Text>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}
