import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'

/** Sends one test event, even if deliveries are off, and shows the response of the receiver below. `children`: more buttons. */
export function TestEvent({ webhookId, children }: { webhookId: number; children: ReactNode }) {
  const send = useSend(
    () => api.post('/api/v1/webhook-endpoints/{webhook_id}/test', { path: { webhook_id: webhookId } }),
    { reload: [['webhooks']] },
  )
  const { result } = send
  return (
    <Stack gap="xs">
      <Group>
        <Button onClick={() => send.send(undefined)} loading={send.isSending}>
          Send test event
        </Button>
        {children}
      </Group>
      {send.error !== undefined && <FailureNotice error={send.error} />}
      {result && !send.isSending && (
        <Alert
          color={result.error === null ? 'green' : 'red'}
          role="status"
          title={
            result.status_code === null
              ? 'The receiver did not answer'
              : `The receiver answered ${result.status_code}`
          }
        >
          {result.error ?? 'The event was delivered.'}
        </Alert>
      )}
    </Stack>
  )
}
