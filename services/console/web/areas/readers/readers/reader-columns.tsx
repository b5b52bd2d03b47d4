import { Anchor, Badge, Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type SyntheticEvent, useState } from 'react'
import type { components } from '@whereabouts/client/client'
import type { Column } from '../../../parts/table/data-table.tsx'
import { Sparkline } from '../../../parts/time/sparkline.tsx'
import { When } from '../../../parts/time/when.tsx'
import { formatLabel } from '../../connect/formats.ts'
import {
  clockText,
  problemShareText,
  problemText,
  readProblemsOf,
  readsByHourText,
} from '../../connect/health-text.ts'
import { lastHourText } from '../../../parts/readers/last-hour.ts'
import { ReaderStatus } from './reader-status.tsx'

type Reader = components['schemas']['ListedReader']

const count = new Intl.NumberFormat()

/** Of configured and discovered readers. `onConfigure`: undefined for people who are not administrators. */
export const readerColumns = (
  onConfigure: ((readerKey: string) => void) | undefined,
): readonly Column<Reader>[] => [
  {
    label: 'Reader',
    role: 'title',
    sort: 'reader_key',
    cell: ({ id, reader_key: key, name, configured }) => (
      <>
        {configured ? (
          <Anchor component={Link} to={`/readers/${id}`} size="sm" fw={500}>
            {name}
          </Anchor>
        ) : (
          <Badge color="brand" variant="light">
            Discovered
          </Badge>
        )}{' '}
        <Text span size="xs" c="dimmed" ff="monospace">
          {key}
        </Text>
      </>
    ),
  },
  { label: 'Status', sort: 'severity', cell: ({ health }) => <ReaderStatus status={health.status} /> },
  {
    label: 'Last heard',
    sort: 'last_seen_at',
    cell: ({ health }) => (health.last_seen_at === null ? 'Never' : <When at={health.last_seen_at} />),
  },
  {
    label: 'Reads per minute',
    sort: 'reads_per_minute',
    cell: ({ health }) => count.format(Math.round(health.reads_per_minute)),
  },
  {
    label: 'Reads, 24 h',
    cell: ({ health }) => (
      <Sparkline label={readsByHourText(health)} values={health.reads_by_hour} height={20} />
    ),
  },
  { label: 'Clock', cell: ({ health }) => clockText(health.clock_offset_ms) },
  { label: 'Problems', cell: ({ health }) => <Problems health={health} /> },
  { label: 'Kind of reader', cell: ({ format }) => (format === null ? '–' : formatLabel(format)) },
  {
    label: 'Actions',
    role: 'actions',
    cell: ({ reader_key: key, configured }) =>
      !configured &&
      onConfigure && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onConfigure(key)}
          aria-label={`Set up ${key}`}
        >
          Set up
        </Button>
      ),
  },
]

/** One figure; the reasons when it is pointed at or has the focus, and on the page of the reader. */
function Problems({ health }: Pick<Reader, 'health'>) {
  const [at, setAt] = useState<{ top: number; right: number }>()
  const problems = readProblemsOf(health).filter((problem) => problem.count > 0)
  if (problems.length === 0 && health.problems_last_hour === 0) return 'None'
  const reasons = [
    ...(health.problems_last_hour > 0 ? [lastHourText(health)] : []),
    ...(health.last_problem === null ? [] : [problemText(health.last_problem)]),
    ...problems.map(({ counted }) => counted),
  ]
  const show = ({ currentTarget }: SyntheticEvent<HTMLElement>) => {
    const { bottom, right } = currentTarget.getBoundingClientRect()
    setAt({ top: bottom + 4, right: document.documentElement.clientWidth - right })
  }
  const hide = () => setAt(undefined)
  const focusable = { tabIndex: 0, onFocus: show, onBlur: hide } // for people without a pointer
  return (
    <span
      className="problems"
      data-bad={health.status === 'degraded' || undefined}
      onMouseEnter={show}
      onMouseLeave={hide}
      {...focusable}
    >
      {problemShareText(health)}
      <span className="problem-reasons" data-shown={at !== undefined || undefined} style={at}>
        {reasons.map((reason) => (
          <span key={reason}>{reason}</span>
        ))}
      </span>
    </span>
  )
}
