import { Anchor, Badge, Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import type { Column } from '../../parts/data-table.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { When } from '../../parts/when.tsx'
import { formatLabel } from './formats.ts'
import { clockText, readProblemsOf, readsByHourText } from './health-text.ts'
import { lastHourText } from './last-hour.ts'
import { ReaderStatus } from './reader-status.tsx'

type Reader = components['schemas']['Reader']

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
          <Badge color="brand" variant="light" miw="max-content">
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
    cell: ({ health }) => <Sparkline label={readsByHourText(health)} values={health.reads_by_hour} />,
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

function Problems({ health }: Pick<Reader, 'health'>) {
  const problems = readProblemsOf(health).filter((problem) => problem.count > 0)
  if (problems.length === 0) return 'None'
  return (
    <>
      {health.problems_last_hour > 0 && (
        <Text size="sm" fw={500}>
          {lastHourText(health)}
        </Text>
      )}
      {problems.map(({ field, hint, counted }) => (
        <Text key={field} size="sm" title={hint}>
          {counted}
        </Text>
      ))}
    </>
  )
}
