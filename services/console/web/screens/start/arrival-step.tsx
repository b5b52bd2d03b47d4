import { Alert, Anchor, Group, Loader, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { When } from '../../parts/when.tsx'
import { readProblemsOf } from '../readers/health-text.ts'
import type { Arrival } from './use-progress.ts'

type Props = { arrival: Arrival | null; reader: components['schemas']['Reader'] | null }

/** The first scan. Until it arrives, the state of the reader that should send it. */
export function ArrivalStep({ arrival, reader }: Props) {
  if (arrival === null) return <Waiting reader={reader} />
  return (
    <Alert color="green" variant="light" title="It works" role="status">
      <Text size="sm">
        <strong>{arrival.asset.name}</strong> is at <strong>{arrival.location}</strong>, seen{' '}
        <When at={arrival.at} />.{' '}
        <Anchor component={Link} inherit underline="always" to={`/assets/${arrival.asset.id}`}>
          See its current location
        </Anchor>
      </Text>
    </Alert>
  )
}

function Waiting({ reader }: Pick<Props, 'reader'>) {
  const health = reader?.health
  const problems = health ? readProblemsOf(health).filter(({ count }) => count > 0) : []
  return (
    <>
      <Group gap="sm" role="status" wrap="nowrap">
        <Loader size="xs" aria-hidden />
        <Text size="sm">
          {health && health.messages > 0
            ? `${reader.reader_key} sent ${health.messages} messages with ${health.reads} reads. None of them located an asset.`
            : 'Waiting for the first scan. This page shows it as soon as it arrives.'}
        </Text>
      </Group>
      {problems.map(({ field, label, hint, count }) => (
        <Text key={field} size="sm" c="dimmed">
          {`${count} × ${label}: ${hint}`}
        </Text>
      ))}
      {health?.last_problem && <Text size="sm">{`Last problem: ${health.last_problem}`}</Text>}
    </>
  )
}
