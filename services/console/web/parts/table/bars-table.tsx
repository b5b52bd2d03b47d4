import { Table } from '@mantine/core'
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight'
import type { Series } from '../time/bars.tsx'
import { Icon } from '../page/icon.tsx'
import { ScrollRegion } from './scroll-region.tsx'
import { dayTime } from '../time/times.ts'
import './bars-table.css'

type Props = {
  title: string
  /** Heading of the times. */
  unit: string
  /** Start of each bar, oldest first. */
  times: readonly string[]
  series: readonly Series[]
  timeText?: (time: string) => string
}

const number = new Intl.NumberFormat()

/** The numbers of a chart: for screen readers, and exact. */
export const BarsTable = ({ title, unit, times, series, timeText = dayTime }: Props) => (
  <details className="bars-table">
    <summary>
      <Icon of={IconChevronRight} size={16} className="fold-icon" />
      Show as table
    </summary>
    <ScrollRegion label={`${title}, as a table`} maxHeight={260}>
      <Table verticalSpacing={4} maw={360}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{unit}</Table.Th>
            {series.map(({ label }) => (
              <Table.Th key={label} ta="right" tt="capitalize">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {times.map((time, i) => (
            <Table.Tr key={time}>
              <Table.Td title={dayTime(time)}>{timeText(time)}</Table.Td>
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
  </details>
)
