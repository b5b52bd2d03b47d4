import { Box, Group, Table, Text } from '@mantine/core'
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight'
import { countText } from './count-text.ts'
import { clockTime, dayTime } from './times.ts'
import { Icon } from './icon.tsx'
import { ScrollRegion } from './scroll-region.tsx'
import './hour-bars.css'

export type HourSeries = { label: string; color: string; values: readonly number[] }

type Props = {
  /** Start of each hour, oldest first. */
  hours: readonly string[]
  series: readonly HourSeries[]
  /** Name of the counted thing. */
  title: string
}

/** A bar chart by hour, with the same numbers as a table for screen readers and for exact values. */
export function HourBars({ hours, series, title }: Props) {
  const max = Math.max(1, ...series.flatMap(({ values }) => values))
  return (
    <Box>
      <div className="hour-bars" role="img" aria-label={`${title}: ${summaryOf(series)}`}>
        {hours.map((hour, i) => (
          <div key={hour} className="hour" title={`${dayTime(hour)}: ${countsAt(series, i)}`}>
            {series.map(({ label, color, values }) => (
              <div
                key={label}
                style={{ height: `${((values[i] ?? 0) / max) * 100}%`, backgroundColor: color }}
              />
            ))}
          </div>
        ))}
      </div>
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
        {captionOf(series)}
      </Text>
      <details className="hour-table">
        <summary>
          <Icon of={IconChevronRight} size={16} className="fold-icon" />
          Show as table
        </summary>
        <HourTable hours={hours} series={series} title={title} />
      </details>
    </Box>
  )
}

const number = new Intl.NumberFormat()

/** Total and maximum in words, because the chart has no axis. */
function captionOf(series: readonly HourSeries[]): string {
  const most = Math.max(0, ...series.flatMap(({ values }) => values))
  if (most === 0) return 'No movements.'
  return `${summaryOf(series)}. Busiest hour: ${number.format(most)}.`
}

const summaryOf = (series: readonly HourSeries[]) =>
  series
    .map(({ label, values }) =>
      countText(
        values.reduce((sum, value) => sum + value, 0),
        label,
      ),
    )
    .join(', ')

const countsAt = (series: readonly HourSeries[], i: number) =>
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

function HourTable({ hours, series, title }: Props) {
  return (
    <ScrollRegion label={`${title}, as a table`} maxHeight={260}>
      <Table verticalSpacing={4} maw={360}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Hour</Table.Th>
            {series.map(({ label }) => (
              <Table.Th key={label} ta="right" tt="capitalize">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hours.map((hour, i) => (
            <Table.Tr key={hour}>
              <Table.Td title={dayTime(hour)}>{clockTime(hour)}</Table.Td>
              {series.map(({ label, values }) => (
                <Table.Td key={label} ta="right">
                  {number.format(values[i] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  )
}
