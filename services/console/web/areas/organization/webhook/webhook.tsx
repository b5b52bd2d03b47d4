import { useState } from 'react'
import { useRead } from '../../../parts/load/use-read.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'
import { Deliveries } from './deliveries.tsx'
import { RegisterWebhook } from './register-webhook.tsx'
import { VerifyGuide } from './verify-guide.tsx'
import { WebhookCard } from './webhook-card.tsx'

/** The webhook of the organization, its recent delivery attempts, and how to verify events. */
export default function WebhookScreen() {
  const [secret, setSecret] = useState<string>()
  const webhooks = useRead(['webhooks'], '/api/v1/webhooks')
  return (
    <Screen title="Webhook" lead="Sends each movement to your URL, signed.">
      {secret !== undefined && (
        <SecretOnce
          secrets={[{ label: 'Signing secret', value: secret }]}
          onStored={() => setSecret(undefined)}
        />
      )}
      <Loaded query={webhooks} what="the webhook">
        {([webhook]) =>
          webhook ? (
            <>
              <WebhookCard webhook={webhook} onSecret={setSecret} />
              <Deliveries webhookId={webhook.id} />
              <VerifyGuide />
            </>
          ) : (
            <RegisterWebhook onRegistered={setSecret} />
          )
        }
      </Loaded>
    </Screen>
  )
}
