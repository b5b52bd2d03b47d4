import { Paper, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { httpsUrl } from '../../../parts/form/checks.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

/** Calls `onRegistered` with the signing secret, which is shown only once. */
export function RegisterWebhook({ onRegistered }: { onRegistered: (secret: string) => void }) {
  const { isAdmin } = useSession()
  const [url, setUrl] = useState('')
  const send = useSend(() => api.post('/api/v1/webhooks', { body: { url: url.trim() } }), {
    check: () => ({ url: httpsUrl(url) }),
    reload: [['webhooks']],
    onDone: ({ secret }) => onRegistered(secret),
  })
  if (!isAdmin) return <EmptyState title="No webhook yet">An administrator can register one.</EmptyState>
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        Register a webhook
      </Title>
      <Text size="sm" mb="sm">
        Whereabouts posts a signed <code>asset.moved</code> event to it each time an asset moves.
      </Text>
      <SendForm send={send} label="Register" shownFields={['url']}>
        <TextInput
          label="URL"
          description="HTTPS, reachable from the internet"
          placeholder="https://example.com/whereabouts"
          type="url"
          {...send.entry('url', url, setUrl)}
          required
        />
      </SendForm>
    </Paper>
  )
}
