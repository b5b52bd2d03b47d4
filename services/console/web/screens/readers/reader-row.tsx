import { Anchor, Badge, Button, Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { When } from '../../parts/when.tsx'
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
      <Table.Td>
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
      </Table.Td>
      <Table.Td>
        <ReaderStatus status={health.status} />
      </Table.Td>
      <Table.Td>{health.last_seen_at === null ? '–' : <When at={health.last_seen_at} />}</Table.Td>
      <Table.Td>{count.format(Math.round(health.reads_per_minute))}</Table.Td>
      <Table.Td>{clockText(health.clock_offset_ms)}</Table.Td>
      <Table.Td>
        {problems.length === 0 ? (
          <Text size="sm">None</Text>
        ) : (
          problems.map((problem) => (
            <Text key={problem.field} size="sm" title={problem.hint}>
              {`${count.format(problem.count)} ${problem.label}`}
            </Text>
          ))
        )}
      </Table.Td>
      <Table.Td>{format ?? '–'}</Table.Td>
      <Table.Td>
        <Group justify="flex-end">
          {!configured && onConfigure && (
            <Button size="xs" variant="default" onClick={onConfigure} aria-label={`Configure ${key}`}>
              Configure
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
