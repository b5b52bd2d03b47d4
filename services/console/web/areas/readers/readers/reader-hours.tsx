import { Stack, Text, Title } from '@mantine/core'
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { Icon } from '../../../parts/page/icon.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Sparkline } from '../../../parts/time/sparkline.tsx'
import { dayTime } from '../../../parts/time/times.ts'
import { api } from '../../../session/api.ts'
import { clockText, isInSync, signalText } from '../../connect/health-text.ts'
import { type AntennaDays, antennasOf, DAYS, farthestOffset, type ReaderHour, slotsOf } from './hour-slots.ts'
import '../../../parts/table/bars-table.css'

const REFRESH_MS = 60_000
const WINDOW_MS = DAYS * 86_400_000
const number = new Intl.NumberFormat()

/** What a reader sent in the last 30 days, by hour and by antenna. */
export function ReaderHours({ id }: { id: number }) {
  const hours = useQuery({
    queryKey: ['reader', id, 'hours'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const query = { from: new Date(now - WINDOW_MS).toISOString(), to: new Date(now).toISOString() }
      const data = await api.get('/api/v1/readers/{reader_id}/hours', {
        path: { reader_id: id },
        query,
        signal,
      })
      return slotsOf(data, now)
    },
  })
  return (
    <Card title="Health, 30 days">
      <Loaded query={hours} what="the hours of the reader">
        {(slots) => <Hours slots={slots} />}
      </Loaded>
    </Card>
  )
}

function Hours({ slots }: { slots: readonly (ReaderHour | undefined)[] }) {
  const found = slots.filter((slot) => slot !== undefined)
  if (found.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No messages in the last 30 days.
      </Text>
    )
  const reads = found.reduce((sum, hour) => sum + hour.reads, 0)
  const troubled = found.filter(({ problems }) => problems > 0).length
  const summary = `${number.format(reads)} ${reads === 1 ? 'read' : 'reads'} in 30 days. ${hoursText(troubled)} with problems`
  return (
    <Stack gap="sm">
      <Sparkline
        label={`Reads by hour: ${summary}`}
        values={slots.map((slot) => slot?.reads ?? 0)}
        isMarked={(i) => (slots[i]?.problems ?? 0) > 0}
        width="100%"
        height={120}
      />
      <Text size="sm">{troubled === 0 ? `${summary}.` : `${summary}, marked below the bars.`}</Text>
      <Clock slots={slots} farthest={farthestOffset(found)} />
      <Antennas antennas={antennasOf(slots)} />
      <HourTable hours={found} />
    </Stack>
  )
}

const hoursText = (count: number) => (count === 1 ? '1 hour' : `${number.format(count)} hours`)

type ClockProps = { slots: readonly (ReaderHour | undefined)[]; farthest: number | null }

/** How far the clock of the device was off. Nothing for a device that sends no times. */
function Clock({ slots, farthest }: ClockProps) {
  if (farthest === null) return null
  const text = `Clock: ${clockText(farthest).toLowerCase()}${isInSync(farthest) ? '' : ' at most'}`
  return (
    <div>
      {!isInSync(farthest) && (
        <Sparkline
          label={`${text}, by hour`}
          values={slots.map((slot) => Math.abs(slot?.clock_offset_ms ?? 0))}
          width="100%"
        />
      )}
      <Text size="sm">{`${text}.`}</Text>
    </div>
  )
}

/** All on one scale, so that a weak antenna shows. */
function Antennas({ antennas }: { antennas: readonly AntennaDays[] }) {
  if (antennas.length === 0) return null
  const max = antennas.reduce((most, { days }) => Math.max(most, ...days), 0)
  return (
    <div>
      <Title order={3} size="h6" mb="xs">
        Antennas
      </Title>
      <DataTable
        label="Reads by antenna"
        columns={antennaColumns(max)}
        rows={antennas}
        rowKey={({ antenna }) => antenna ?? 'others'}
      />
    </div>
  )
}

const nameOf = ({ antenna }: AntennaDays) => (antenna === null ? 'Antennas from 33' : `Antenna ${antenna}`)

const antennaColumns = (max: number): readonly Column<AntennaDays>[] => [
  { label: 'Antenna', role: 'title', cell: nameOf },
  {
    label: 'Reads by day',
    cell: (row) => (
      <Sparkline label={`${nameOf(row)}, reads by day`} values={row.days} max={max} width={180} />
    ),
  },
  { label: 'Reads', align: 'right', cell: ({ reads }) => number.format(reads) },
  {
    label: 'Signal by day',
    cell: (row) => (
      <Sparkline
        label={`${nameOf(row)}, mean signal by day`}
        values={row.signals.map((dbm) => (dbm === null ? 0 : Math.max(1, dbm - WEAKEST_DBM)))}
        max={STRONGEST_DBM - WEAKEST_DBM}
        width={120}
      />
    ),
  },
  { label: 'Mean signal', align: 'right', cell: ({ meanRssi }) => signalText(meanRssi) },
]

/** The ends of the scale of signals: what readers still hear, and what they hear at a hand's breadth. */
const [WEAKEST_DBM, STRONGEST_DBM] = [-100, -20]

/** Its rows are many, so it has them only while it is open. */
function HourTable({ hours }: { hours: readonly ReaderHour[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="bars-table" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon of={IconChevronRight} size={16} className="fold-icon" />
        Show as table
      </summary>
      {isOpen && (
        <DataTable
          label="Health by hour, as a table"
          columns={HOURS}
          rows={hours.toReversed()}
          rowKey={({ hour }) => hour}
          maxHeight={320}
        />
      )}
    </details>
  )
}

const HOURS: readonly Column<ReaderHour>[] = [
  { label: 'Hour', role: 'title', cell: ({ hour }) => dayTime(hour) },
  { label: 'Messages', align: 'right', cell: ({ messages }) => number.format(messages) },
  { label: 'With problems', align: 'right', cell: ({ problems }) => number.format(problems) },
  { label: 'Reads', align: 'right', cell: ({ reads }) => number.format(reads) },
  { label: 'Mean signal', align: 'right', cell: ({ mean_rssi_dbm: mean }) => signalText(mean) },
]
