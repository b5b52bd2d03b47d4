import { Alert, Button, Code, Group, Paper, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { httpsUrl } from '../../../parts/form/checks.ts'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { TestEvent } from './test-event.tsx'

type Webhook = components['schemas']['Webhook']

/** The webhook with its switch, test event, new secret and removal. `onSecret` gets the new secret, which is shown only once. */
export function WebhookCard({ webhook, onSecret }: { webhook: Webhook; onSecret: (secret: string) => void }) {
  const { isAdmin } = useSession()
  const [isEditing, setEditing] = useState(false)
  const toggle = useSend(
    (enabled: boolean) =>
      api.patch('/api/v1/webhooks/{webhook_id}', { path: { webhook_id: webhook.id }, body: { enabled } }),
    { reload: [['webhooks']] },
  )
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        {isEditing ? (
          <UrlForm webhook={webhook} onDone={() => setEditing(false)} />
        ) : (
          <Group justify="space-between" align="flex-start">
            <div style={{ minWidth: 0 }}>
              <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                {webhook.url}
              </Text>
              <Text size="sm" c="dimmed">
                Signing secret <Code>{webhook.secret}</Code> · registered <When at={webhook.created_at} />
              </Text>
            </div>
            {isAdmin && (
              <Button variant="default" onClick={() => setEditing(true)}>
                Change URL
              </Button>
            )}
          </Group>
        )}
        <Switch
          label="Deliver events"
          description="While off, events are not sent and not kept for later."
          checked={webhook.enabled}
          disabled={!isAdmin || toggle.isSending}
          onChange={(event) => toggle.send(event.currentTarget.checked)}
        />
        {toggle.error !== undefined && <FailureNotice error={toggle.error} />}
        {isAdmin ? (
          <TestEvent webhookId={webhook.id}>
            <ConfirmButton
              label="Replace the secret"
              reload={[['webhooks']]}
              work={() =>
                api.post('/api/v1/webhooks/{webhook_id}/rotate-secret', { path: { webhook_id: webhook.id } })
              }
              onDone={({ secret }) => onSecret(secret)}
            >
              You get a new secret. For 24 hours, webhook-signature also has a signature with the secret
              before. X-Service-Signature is by the new secret at once. If you replace it twice, the oldest
              secret ends.
            </ConfirmButton>
            <ConfirmButton
              label="Remove webhook"
              reload={[['webhooks']]}
              work={() => api.delete('/api/v1/webhooks/{webhook_id}', { path: { webhook_id: webhook.id } })}
            >
              Events are no longer sent. To start again, register a webhook and get a new secret.
            </ConfirmButton>
          </TestEvent>
        ) : (
          <Alert variant="light">Only administrators can change the webhook.</Alert>
        )}
      </Stack>
    </Paper>
  )
}

function UrlForm({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const [url, setUrl] = useState(webhook.url)
  const send = useSend(
    () =>
      api.patch('/api/v1/webhooks/{webhook_id}', {
        path: { webhook_id: webhook.id },
        body: { url: url.trim() },
      }),
    { check: () => ({ url: httpsUrl(url) }), reload: [['webhooks']], onDone },
  )
  return (
    <SendForm send={send} label="Save" onCancel={onDone} shownFields={['url']}>
      <TextInput label="URL" type="url" {...send.entry('url', url, setUrl)} data-autofocus required />
    </SendForm>
  )
}
