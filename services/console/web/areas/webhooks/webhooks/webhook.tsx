import { Anchor } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { Deliveries } from './deliveries/deliveries.tsx'
import { useWebhook } from './use-webhooks.ts'
import { VerifyGuide } from './verify-guide.tsx'
import { WebhookCard } from './webhook-card.tsx'
import { HealthNotice } from './webhook-health.tsx'
import { Hours } from './webhook-hours.tsx'

const NO_WEBHOOK = { name: 'webhook', list: 'All webhooks', to: '/webhooks' }

/** One webhook: its health, its settings, what became of each event, and how to verify events. */
export default function WebhookScreen() {
  const { webhookId }: { webhookId?: string } = useParams({ strict: false })
  const id = Number(webhookId)
  const [secret, setSecret] = useState<string>()
  const webhook = useWebhook(id)
  return (
    <Screen
      title="Webhook"
      lead={
        <Anchor component={Link} to="/webhooks" size="sm" underline="always">
          All webhooks
        </Anchor>
      }
    >
      {secret !== undefined && (
        <SecretOnce
          secrets={[{ label: 'Signing secret', value: secret }]}
          onStored={() => setSecret(undefined)}
        />
      )}
      <Loaded query={webhook} what="the webhook" missing={NO_WEBHOOK}>
        {(data) => (
          <>
            <HealthNotice webhook={data} />
            <WebhookCard webhook={data} onSecret={setSecret} />
            <Hours id={id} />
            <Deliveries webhook={data} />
            <VerifyGuide />
          </>
        )}
      </Loaded>
    </Screen>
  )
}
