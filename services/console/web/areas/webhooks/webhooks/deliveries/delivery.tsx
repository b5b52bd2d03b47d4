import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useSend } from '../../../../parts/form/use-send.ts'
import { FailureNotice } from '../../../../parts/load/failure-notice.tsx'
import { Loaded } from '../../../../parts/load/loaded.tsx'
import { useRead } from '../../../../parts/load/use-read.ts'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { When } from '../../../../parts/time/when.tsx'
import { api } from '../../../../session/api.ts'
import { useSession } from '../../../../session/use-session.ts'
import { eventText } from '../event-types.ts'
import type { Webhook } from '../webhook-settings.ts'
import { StateBadge } from './state-badge.tsx'

type Detail = components['schemas']['EndpointDeliveryDetail']
type Attempt = Detail['attempts'][number]
type Props = { webhook: Webhook; deliveryId: string; onClose: () => void }

const REFRESH_MS = 5_000

/** One event with what is sent, all attempts and the way to send it again. */
export function Delivery({ webhook, deliveryId, onClose }: Props) {
  const path = { webhook_id: webhook.id, delivery_id: deliveryId }
  const delivery = useRead(
    ['webhooks', webhook.id, 'deliveries', deliveryId],
    '/api/v1/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}',
    { path, refetchInterval: REFRESH_MS },
  )
  return (
    <Modal opened onClose={onClose} title="Delivery" size="lg">
      <Loaded query={delivery} what="the delivery">
        {(detail) => (
          <Stack gap="sm">
            <Group gap="xs">
              <Text fw={600}>{eventText(detail.type)}</Text>
              <StateBadge state={detail.state} />
            </Group>
            <Text size="sm">
              Happened <When at={detail.occurred_at} as="day" />. <WhatIsNext {...detail} />
            </Text>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              Delivery ID <Code>{detail.delivery_id}</Code>
            </Text>
            {detail.attempts.length > 0 && (
              <DataTable
                label="Attempts"
                columns={COLUMNS}
                rows={detail.attempts}
                rowKey={({ at }) => at}
                maxHeight={280}
              />
            )}
            {detail.body ? (
              <Code block tabIndex={0} aria-label="Body">
                {JSON.stringify(detail.body, null, 2)}
              </Code>
            ) : (
              <Text size="sm" c="dimmed">
                The event is no longer kept, so its body cannot be shown.
              </Text>
            )}
            <Resend webhook={webhook} path={path} />
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}

function WhatIsNext({ state, next_attempt_at: next }: Pick<Detail, 'state' | 'next_attempt_at'>) {
  if (state === 'dropped') return 'It was not sent: the webhook was off, or its filter left the event out.'
  if (state !== 'waiting') return null
  if (next === null) return 'It waits for an earlier event of the same thing.'
  return (
    <>
      Next attempt <When at={next} />.
    </>
  )
}

type ResendProps = { webhook: Webhook; path: { webhook_id: number; delivery_id: string } }

function Resend({ webhook, path }: ResendProps) {
  const { isAdmin } = useSession()
  const send = useSend(
    () => api.post('/api/v1/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}/resend', { path }),
    { reload: [['webhooks', webhook.id]] },
  )
  if (!isAdmin) return <Text size="sm">An administrator can send it again.</Text>
  if (!webhook.enabled) return <Text size="sm">To send it again, first switch deliveries on.</Text>
  return (
    <>
      {send.error !== undefined && <FailureNotice error={send.error} />}
      <Group justify="flex-end">
        <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
          Resend
        </Button>
      </Group>
    </>
  )
}

const COLUMNS: readonly Column<Attempt>[] = [
  { label: 'Time', role: 'title', cell: ({ at }) => <When at={at} as="day" /> },
  { label: 'Status', cell: ({ status_code: status }) => status ?? 'no answer' },
  { label: 'Duration', cell: ({ latency_ms: ms }) => `${new Intl.NumberFormat().format(ms)} ms` },
  { label: 'Error', cell: ({ error }) => error ?? '–' },
]
