import { Group, Text } from '@mantine/core'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { HourBars } from '../../../parts/time/hour-bars.tsx'
import { Sparkline } from '../../../parts/time/sparkline.tsx'
import { useStats } from './use-webhooks.ts'

type Stats = NonNullable<ReturnType<typeof useStats>['data']>

const TITLE = 'Attempts in the last 24 hours'
/** More than this is not counted. */
const MOST_COUNTED = 100_000
const number = new Intl.NumberFormat()

const waitingText = ({ waiting }: Stats) =>
  `${number.format(waiting)}${waiting >= MOST_COUNTED ? ' or more' : ''} waiting`

const sumOf = ({ hours }: Stats, field: 'delivered' | 'failed') =>
  hours.reduce((sum, hour) => sum + hour[field], 0)

/** In a row of the list: the hours as bars, those with a failure marked, and the sums in words. */
export function HoursInBrief({ id }: { id: number }) {
  const { data } = useStats(id)
  if (!data) return null
  const text = `${number.format(sumOf(data, 'delivered'))} delivered, ${number.format(sumOf(data, 'failed'))} failed, ${waitingText(data)}`
  return (
    <Group gap="xs" wrap="nowrap">
      <Sparkline
        label={`${TITLE}: ${text}`}
        values={data.hours.map(({ delivered, failed }) => delivered + failed)}
        isMarked={(i) => (data.hours[i]?.failed ?? 0) > 0}
        width={72}
        height={20}
      />
      <Text size="sm">{text}</Text>
    </Group>
  )
}

/** On the page of a webhook. */
export const Hours = ({ id }: { id: number }) => (
  <Card title={TITLE}>
    <Loaded query={useStats(id)} what="the last 24 hours">
      {(stats) => (
        <>
          <Text size="sm" role="status">
            {stats.waiting === 0
              ? 'Nothing waits.'
              : `${countText(stats.waiting, 'events wait', 'event waits')}${stats.waiting >= MOST_COUNTED ? ', or more' : ''}.`}
          </Text>
          <HourBars
            title={TITLE}
            none="No attempts."
            hours={stats.hours.map(({ hour }) => hour)}
            series={[
              {
                label: 'delivered',
                color: 'var(--chart-1)',
                values: stats.hours.map((hour) => hour.delivered),
              },
              { label: 'failed', color: 'var(--chart-2)', values: stats.hours.map((hour) => hour.failed) },
            ]}
          />
        </>
      )}
    </Loaded>
  </Card>
)
