import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { FailureNotice } from '../../../../parts/load/failure-notice.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { When } from '../../../../parts/time/when.tsx'
import { api } from '../../../../session/api.ts'
import { clockText } from '../../../connect/health-text.ts'
import type { Reader } from '../reader-fields.ts'
import { ownZone, zoneThatFits } from '../scan-points/zone-that-fits.ts'

type Props = { id: number; reader: Reader; isAdmin: boolean }

/** What is wrong with all that the reader sends, what to do, and for administrators a button that does it. */
export function ReaderRepairs({ id, reader, isAdmin }: Props) {
  const { clock, two_devices: two, last_seen_at: heard } = reader.health
  const zone = heard === null ? undefined : zoneThatFits(reader, ownZone(), Date.parse(heard))
  return (
    <>
      {two !== null && (
        <Alert color="yellow" variant="light" title="Two devices send as this reader">
          {two.identities.join(' and ')} take turns, the last time <When at={two.at} />. Their reads are taken
          for those of one place. Give each device a reader and a key of its own.
        </Alert>
      )}
      {(clock !== 'ok' || zone !== undefined) && (
        <Alert color="yellow" variant="light" title={titleOf(reader)}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{WHAT_TO_DO[clock] ?? WHAT_TO_DO['ok']}</Text>
            {isAdmin && <Repairs id={id} zone={zone} />}
          </Stack>
        </Alert>
      )}
    </>
  )
}

function titleOf({ health: { clock, clock_offset_ms: offset } }: Reader): string {
  if (clock === 'unset') return 'The clock of the device is not set'
  return clock === 'ok' ? 'Its times name no time zone' : `The clock of the device is ${clockText(offset)}`
}

const SEEN_THEN = 'Its assets are shown where they were at that time.'
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  ok: 'The time of receipt counts instead. Say in which time zone the device is.',
  behind: `${SEEN_THEN} Set the clock or the time zone of the device, or let the time of receipt count.`,
  ahead: 'The time of receipt counts instead. Set the clock or the time zone of the device.',
  unset: 'The time of receipt counts instead. Let the device get its time from a time server.',
}

function Repairs({ id, zone }: { id: number; zone: string | undefined }) {
  const repair = (body: components['schemas']['ReaderUpdate']) =>
    api.patch('/api/v1/readers/{reader_id}', { path: { reader_id: id }, body })
  const send = useSend(repair, { reload: [['readers'], ['reader', id]] })
  return (
    <>
      <Group gap="xs">
        {zone !== undefined && (
          <Button size="xs" loading={send.isSending} onClick={() => send.send({ timezone: zone })}>
            {`Use the time zone ${zone}`}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          loading={send.isSending}
          onClick={() => send.send({ time_source: 'receipt' })}
        >
          Count the time of receipt
        </Button>
      </Group>
      <FailureNotice error={send.error} />
    </>
  )
}
