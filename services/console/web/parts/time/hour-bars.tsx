import { Box, Group, Text } from '@mantine/core'
import { BarsTable } from '../table/bars-table.tsx'
import { Bars, type Series } from './bars.tsx'
import { countText } from '../table/count-text.ts'
import { clockTime, dayTime } from './times.ts'

type Props = {
  /** Start of each hour, oldest first. */
  hours: readonly string[]
  series: readonly Series[]
  /** Name of the counted thing. */
  title: string
  /** Instead of the sums, where all are zero. */
  none?: string
}

/** A bar chart by hour, with the same numbers as a table for screen readers and for exact values. */
export function HourBars({ hours, series, title, none = 'No movements.' }: Props) {
  return (
    <Box>
      <Bars
        series={series}
        height={120}
        titleOf={(i) => `${dayTime(hours[i] ?? '')}: ${countsAt(series, i)}`}
        label={`${title}: ${summaryOf(series)}`}
      />
      <Group justify="space-between" aria-hidden>
        <Text size="xs" c="dimmed">
          {hours[0] !== undefined && dayTime(hours[0])}
        </Text>
        {series.length > 1 && <Legend series={series} />}
        <Text size="xs" c="dimmed">
          now
        </Text>
      </Group>
      <Text size="sm" mt="xs">
        {captionOf(series, none)}
      </Text>
      <BarsTable title={title} unit="Hour" times={hours} series={series} timeText={clockTime} />
    </Box>
  )
}

const number = new Intl.NumberFormat()

/** Total and maximum in words, because the chart has no axis. */
function captionOf(series: readonly Series[], none: string): string {
  const most = Math.max(0, ...series.flatMap(({ values }) => values))
  if (most === 0) return none
  return `${summaryOf(series)}. Busiest hour: ${number.format(most)}.`
}

const summaryOf = (series: readonly Series[]) =>
  series
    .map(({ label, values }) =>
      countText(
        values.reduce((sum, value) => sum + value, 0),
        label,
      ),
    )
    .join(', ')

const countsAt = (series: readonly Series[], i: number) =>
  series.map(({ label, values }) => countText(values[i] ?? 0, label)).join(', ')

const Legend = ({ series }: Pick<Props, 'series'>) => (
  <Group gap="md">
    {series.map(({ label, color }) => (
      <Group key={label} gap={6}>
        <Box w={10} h={10} bg={color} />
        <Text size="xs">{label}</Text>
      </Group>
    ))}
  </Group>
)
