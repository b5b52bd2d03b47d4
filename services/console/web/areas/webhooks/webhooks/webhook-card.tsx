import { Alert, Button, Code, Group, Paper, Stack, Switch, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { assetTypeOf } from '../../../parts/things/asset-types.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { eventText } from './event-types.ts'
import { TestEvent } from './test-event.tsx'
import { useNamedLocations } from './use-webhooks.ts'
import { WebhookForm } from './webhook-form.tsx'
import { HealthBadge, useSwitch } from './webhook-health.tsx'
import { changesOf, type Settings, settingsOf, type Webhook } from './webhook-settings.ts'

type Props = { webhook: Webhook; onSecret: (secret: string) => void }

/** A webhook with its settings, switch, test event, new secret and deletion. `onSecret` gets the new secret, which is shown only once. */
export function WebhookCard({ webhook, onSecret }: Props) {
  const { isAdmin } = useSession()
  const navigate = useNavigate()
  const toggle = useSwitch(webhook.id)
  const locations = useNamedLocations(webhook.filter?.location_ids ?? [])
  const path = { webhook_id: webhook.id }
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Loaded query={locations} what="the locations of the filter">
          {(named) => <SettingsInWords webhook={webhook} settings={settingsOf(webhook, named)} />}
        </Loaded>
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
              work={() => api.post('/api/v1/webhook-endpoints/{webhook_id}/rotate-secret', { path })}
              onDone={({ secret }) => onSecret(secret)}
            >
              You get a new secret. For 24 hours, webhook-signature also has a signature with the secret
              before. X-Service-Signature is by the new secret at once. If you replace it twice, the oldest
              secret ends.
            </ConfirmButton>
            <ConfirmButton
              label="Remove webhook"
              reload={[['webhooks', 'list']]}
              work={() => api.delete('/api/v1/webhook-endpoints/{webhook_id}', { path })}
              onDone={() => void navigate({ to: '/webhooks' })}
            >
              Events are no longer sent to {webhook.url}, and the log of its deliveries is deleted.
            </ConfirmButton>
          </TestEvent>
        ) : (
          <Alert variant="light">Only administrators can change the webhook.</Alert>
        )}
      </Stack>
    </Paper>
  )
}

function SettingsInWords({ webhook, settings }: { webhook: Webhook; settings: Settings }) {
  const { isAdmin } = useSession()
  const [before, setBefore] = useState<Settings>()
  return (
    <Group justify="space-between" align="flex-start">
      <Stack gap={4} style={{ minWidth: 0, flex: '1 1 260px' }}>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {webhook.url}
        </Text>
        <div>
          <HealthBadge webhook={webhook} />
        </div>
        <Text size="sm">
          {webhook.retry === 'extended' ? 'Attempts for 72 hours' : 'Three attempts'} of:{' '}
          {webhook.event_types.map(eventText).join(', ')}
        </Text>
        {webhook.filter && <Text size="sm">{filterText(settings)}</Text>}
        <Text size="sm" c="dimmed">
          Signing secret <Code>{webhook.secret}</Code> · created <When at={webhook.created_at} />
        </Text>
      </Stack>
      {isAdmin && (
        <Button variant="default" onClick={() => setBefore(settings)}>
          Edit
        </Button>
      )}
      {before && (
        <WebhookForm
          title="Edit webhook"
          label="Save"
          settings={before}
          work={(after) =>
            api.patch('/api/v1/webhook-endpoints/{webhook_id}', {
              path: { webhook_id: webhook.id },
              body: changesOf(before, after),
            })
          }
          onDone={() => setBefore(undefined)}
          onClose={() => setBefore(undefined)}
        />
      )}
    </Group>
  )
}

function filterText({ assetTypes, locations, includesInside }: Settings): string {
  const types = assetTypes.map((type) => assetTypeOf(type).plural).join(', ')
  const places = locations.map(({ name }) => name).join(', ')
  const inside = includesInside ? ' and their sub-locations' : ''
  return `Only: ${[types, places && `${places}${inside}`].filter(Boolean).join('; ')}`
}
