import { Alert, Badge, Button, Stack, Text } from '@mantine/core'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { useStats } from './use-webhooks.ts'
import type { Webhook } from './webhook-settings.ts'

/** Whether its deliveries arrive, in a word or two. */
export function HealthBadge({ webhook: { health, disabled_because: because } }: { webhook: Webhook }) {
  const [color, text] =
    health === 'ok'
      ? ['green', 'OK']
      : health === 'failing'
        ? ['red', 'Failing']
        : because === null
          ? ['gray', 'Off']
          : ['red', 'Off after failures']
  return (
    <Badge color={color} variant="light">
      {text}
    </Badge>
  )
}

/** Why events do not arrive, since when, and what to do. Nothing while they do. */
export function HealthNotice({ webhook }: { webhook: Webhook }) {
  const since = useStats(webhook.id).data?.failing_since
  const { health, disabled_because: because, retry } = webhook
  if (health === 'ok') return null
  if (health === 'failing')
    return (
      <Alert color="red" role="status" title="Deliveries fail">
        <Stack gap="xs">
          <Text size="sm">
            <FailedSince at={since} />
            Open a delivery below to see what your receiver answered, repair it, and send a test event.
          </Text>
          <Text size="sm">
            {retry === 'extended'
              ? 'Each event is attempted for 72 hours. After five days without a success the webhook is switched off.'
              : 'Each event is attempted three times. When your receiver works, replay what it missed.'}
          </Text>
        </Stack>
      </Alert>
    )
  return (
    <Alert
      color={because === null ? 'gray' : 'red'}
      role="status"
      title={because === null ? 'Deliveries are off' : 'Switched off after five days of failures'}
    >
      <Stack gap="xs" align="flex-start">
        {because !== null && (
          <Text size="sm">
            <FailedSince at={since} />
            Repair your receiver, send a test event, then switch deliveries on.
          </Text>
        )}
        <Text size="sm">
          What happens while they are off is not sent by itself. Replay it afterwards: events are kept for 7
          days.
        </Text>
        <SwitchOn webhook={webhook} />
      </Stack>
    </Alert>
  )
}

const FailedSince = ({ at }: { at: string | null | undefined }) =>
  at && (
    <>
      Every attempt since <When at={at} as="day" /> has failed.{' '}
    </>
  )

/** One click, for administrators. */
export function SwitchOn({ webhook: { id, url } }: { webhook: Webhook }) {
  const { isAdmin } = useSession()
  const send = useSwitch(id)
  if (!isAdmin) return <Text size="sm">An administrator can switch them on.</Text>
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={send.isSending}
        aria-label={`Switch on ${url}`}
        onClick={() => send.send(true)}
      >
        Switch on
      </Button>
      {send.error !== undefined && <FailureNotice error={send.error} />}
    </>
  )
}

/** Switches deliveries on or off. */
export const useSwitch = (id: number) =>
  useSend(
    (enabled: boolean) =>
      api.patch('/api/v1/webhook-endpoints/{webhook_id}', { path: { webhook_id: id }, body: { enabled } }),
    { reload: [['webhooks']] },
  )
