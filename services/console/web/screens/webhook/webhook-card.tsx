import { Alert, Button, Code, Group, Paper, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { TestEvent } from './test-event.tsx'

type Webhook = components['schemas']['Webhook']

/** What is registered, the Deliver events toggle, and a test event. */
export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { isAdmin } = useSession()
  const [isEditing, setEditing] = useState(false)
  const params = { path: { webhook_id: webhook.id } }
  const toggle = useSend(
    async (enabled: boolean) =>
      unwrap(await api.PATCH('/api/v1/webhooks/{webhook_id}', { params, body: { enabled } })),
    { reload: [['webhooks']] },
  )
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        {isEditing ? (
          <Address webhook={webhook} onDone={() => setEditing(false)} />
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
                Change the address
              </Button>
            )}
          </Group>
        )}
        <Switch
          label="Deliver events"
          description="While it is off, movements are not announced and not kept for later."
          checked={webhook.enabled}
          disabled={!isAdmin || toggle.isSending}
          onChange={(event) => toggle.send(event.currentTarget.checked)}
        />
        {toggle.error !== undefined && <FailureNotice error={toggle.error} />}
        {isAdmin ? (
          <Group align="flex-start">
            <TestEvent webhookId={webhook.id} />
            <ConfirmButton
              label="Remove the webhook"
              reload={[['webhooks']]}
              work={async () => unwrap(await api.DELETE('/api/v1/webhooks/{webhook_id}', { params }))}
            >
              Movements are no longer announced. To begin again you register it anew and get another secret.
            </ConfirmButton>
          </Group>
        ) : (
          <Alert variant="light">Only administrators of the organization change the webhook.</Alert>
        )}
      </Stack>
    </Paper>
  )
}

function Address({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const [url, setUrl] = useState(webhook.url)
  const send = useSend(
    async () =>
      unwrap(
        await api.PATCH('/api/v1/webhooks/{webhook_id}', {
          params: { path: { webhook_id: webhook.id } },
          body: { url },
        }),
      ),
    { reload: [['webhooks']], onDone },
  )
  return (
    <SendForm
      send={send}
      label="Save"
      onSubmit={() => send.send(undefined)}
      onCancel={onDone}
      shownFields={['url']}
    >
      <TextInput
        label="Address"
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={send.fields['url']}
        data-autofocus
        required
      />
    </SendForm>
  )
}
