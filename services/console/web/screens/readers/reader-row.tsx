import { Anchor, Badge, Button, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { Cell } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import { formatLabel } from './formats.ts'
import { clockText, readProblemsOf } from './health-text.ts'
import { ReaderStatus } from './reader-status.tsx'

type Props = {
  reader: components['schemas']['Reader']
  /** Undefined for people who are not administrators. */
  onConfigure: (() => void) | undefined
}

const count = new Intl.NumberFormat()

/** A configured or discovered reader. */
export function ReaderRow({ reader, onConfigure }: Props) {
  const { id, reader_key: key, name, format, configured, health } = reader
  const problems = readProblemsOf(health).filter((problem) => problem.count > 0)
  return (
    <Table.Tr>
      <Cell>
        {configured ? (
          <Anchor component={Link} to={`/readers/${id}`} size="sm" fw={500}>
            {name}
          </Anchor>
        ) : (
          <Badge color="blue" variant="light" miw="max-content">
            Discovered
          </Badge>
        )}
        <Text size="xs" c="dimmed" ff="monospace">
          {key}
        </Text>
      </Cell>
      <Cell label="Status">
        <ReaderStatus status={health.status} />
      </Cell>
      <Cell label="Last heard">
        {health.last_seen_at === null ? 'Never' : <When at={health.last_seen_at} />}
      </Cell>
      <Cell label="Reads per minute">{count.format(Math.round(health.reads_per_minute))}</Cell>
      <Cell label="Clock">{clockText(health.clock_offset_ms)}</Cell>
      <Cell label="Problems">
        {problems.length === 0
          ? 'None'
          : problems.map(({ field, hint, counted }) => (
              <Text key={field} size="sm" title={hint}>
                {counted}
              </Text>
            ))}
      </Cell>
      <Cell label="Kind of reader">{format === null ? '–' : formatLabel(format)}</Cell>
      <Cell align="right">
        {!configured && onConfigure && (
          <Button size="xs" variant="default" onClick={onConfigure} aria-label={`Set up ${key}`}>
            Set up
          </Button>
        )}
      </Cell>
    </Table.Tr>
  )
}
