import { Button, Text } from '@mantine/core'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import { useNavigate } from '@tanstack/react-router'
import { ApiError } from '@whereabouts/client/client'
import { useState } from 'react'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Icon } from '../../../parts/page/icon.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { DataTable } from '../../../parts/table/data-table.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { MOST_FURTHER, useWebhooks } from './use-webhooks.ts'
import { COLUMNS } from './webhook-columns.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { bodyOf, NEW_WEBHOOK, type Settings, type Webhook } from './webhook-settings.ts'

/** All webhooks of the organization, and what arrives. */
export default function WebhooksScreen() {
  const { isAdmin } = useSession()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<Webhook>()
  const webhooks = useWebhooks()
  return (
    <Screen
      title="Webhooks"
      lead="Each one sends the events that you choose to a URL of yours, signed."
      actions={
        isAdmin && webhooks.data && !created ? (
          <NewButton webhooks={webhooks.data} onClick={() => setOpen(true)} />
        ) : undefined
      }
    >
      {created && (
        <SecretOnce
          secrets={[{ label: 'Signing secret', value: created.secret }]}
          onStored={() => void navigate({ to: `/webhooks/${created.id}` })}
        />
      )}
      <Loaded query={webhooks} what="the webhooks">
        {(data) =>
          data.length === 0 ? (
            <EmptyState title="No webhook yet">
              {isAdmin
                ? 'Create one, and Whereabouts posts a signed event to it each time an asset moves.'
                : 'An administrator can create one.'}
            </EmptyState>
          ) : (
            <DataTable
              label="Webhooks"
              columns={COLUMNS}
              rows={data}
              rowKey={({ id }) => id}
              minWidth={860}
            />
          )
        }
      </Loaded>
      {!isAdmin && (
        <Text size="sm" c="dimmed">
          Only administrators can change webhooks.
        </Text>
      )}
      {isOpen && (
        <WebhookForm
          title="New webhook"
          label="Create webhook"
          settings={NEW_WEBHOOK}
          work={(settings) => create(settings, webhooks.data?.some(({ primary }) => primary) ?? false)}
          onDone={(webhook) => {
            setOpen(false)
            setCreated(webhook)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Screen>
  )
}

/** The first webhook is that of `/webhooks`. If another tab has created it meanwhile, this one is a further one. */
async function create(settings: Settings, hasPrimary: boolean): Promise<Webhook> {
  const body = bodyOf(settings)
  const further = () => api.post('/api/v1/webhook-endpoints', { body })
  if (hasPrimary) return further()
  return api.post('/api/v1/webhooks', { body }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 409) return further()
    throw error
  })
}

function NewButton({ webhooks, onClick }: { webhooks: readonly Webhook[]; onClick: () => void }) {
  const further = webhooks.filter(({ primary }) => !primary).length
  if (further >= MOST_FURTHER && further < webhooks.length)
    return <Button disabled>{`Limit reached: ${webhooks.length} webhooks`}</Button>
  return (
    <Button leftSection={<Icon of={IconPlus} size={16} />} onClick={onClick}>
      New webhook
    </Button>
  )
}
