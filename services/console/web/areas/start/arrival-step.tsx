import { Alert, Anchor, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { FailureNotice } from '../../parts/load/failure-notice.tsx'
import { When } from '../../parts/time/when.tsx'
import { readProblemsOf, readsText } from '../connect/health-text.ts'
import { tagTypeOf } from '../../parts/things/tag-types.ts'
import type { ScanPoint } from '../connect/use-scan-points.ts'
import { useTestRead } from '../connect/use-test-read.ts'
import type { Arrival, PlacedReader, TaggedAsset } from './use-progress.ts'

type Props = { arrival: Arrival | null; newest: PlacedReader | null; asset: TaggedAsset | null }

/** The first scan: sent here, or by a real reader. */
export function ArrivalStep({ arrival, newest, asset }: Props) {
  if (arrival !== null) return <Arrived arrival={arrival} />
  return (
    <Stack gap="sm">
      {newest?.placed && asset && (
        <SendTestRead readerId={newest.reader.id ?? 0} newest={newest} placed={newest.placed} asset={asset} />
      )}
      <Waiting newest={newest} />
    </Stack>
  )
}

const Arrived = ({ arrival }: { arrival: Arrival }) => (
  <Alert color="green" variant="light" title="It works" role="status">
    <Text size="sm">
      <strong>{arrival.asset.name}</strong> is at <strong>{arrival.location}</strong>, seen{' '}
      <When at={arrival.at} />.{' '}
      <Anchor component={Link} inherit underline="always" to={`/assets/${arrival.asset.id}`}>
        See where it is, and why
      </Anchor>
    </Text>
  </Alert>
)

type SendProps = { readerId: number; newest: PlacedReader; placed: ScanPoint; asset: TaggedAsset }

/** The whole way of a read without a device: the broker, tracking, and events get it as they get real ones. */
function SendTestRead({ readerId, newest: { reader }, placed, asset }: SendProps) {
  const send = useTestRead(readerId)
  const [tag] = asset.tags
  const type = tagTypeOf(tag?.tag_type ?? null)
  if (!tag || !type) return null
  return (
    <>
      <Text size="sm">
        {`No reader at hand? Send a read as if ${reader.name ?? reader.reader_key} had seen ${asset.name} at ${placed.location?.name ?? ''}. It takes the same way as the reads of a device, and stays in the history of ${asset.name}.`}
      </Text>
      <Group>
        <Button
          loading={send.isSending}
          onClick={() => send.send({ tag_type: type, value: tag.value, antenna: placed.antenna })}
        >
          Send a test read
        </Button>
      </Group>
      {send.error !== undefined && <FailureNotice error={send.error} />}
    </>
  )
}

/** The state of the reader that should send the first scan. */
function Waiting({ newest }: Pick<Props, 'newest'>) {
  const reader = newest?.reader
  const health = reader?.health
  const problems = health ? readProblemsOf(health).filter(({ count }) => count > 0) : []
  return (
    <>
      <Group gap="sm" role="status" wrap="nowrap">
        <Loader size="xs" aria-hidden />
        <Text size="sm">
          {health && health.messages > 0
            ? `${reader.reader_key} sent ${readsText(health)}. No asset was located yet.`
            : 'Waiting for the first scan. This page shows it as soon as it arrives.'}
        </Text>
      </Group>
      {problems.map(({ field, counted, hint }) => (
        <Text key={field} size="sm" c="dimmed">
          {`${counted}: ${hint}`}
        </Text>
      ))}
      {health?.last_problem && <Text size="sm">{`Last problem: ${health.last_problem}`}</Text>}
    </>
  )
}
