import { Paper, Text, TextInput, Title } from '@mantine/core'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'

/** `onRegistered` is given the signing secret, which is shown this once. */
export function RegisterWebhook({ onRegistered }: { onRegistered: (secret: string) => void }) {
  const { isAdmin } = useSession()
  const [url, setUrl] = useState('')
  const send = useSend(async () => unwrap(await api.POST('/api/v1/webhooks', { body: { url } })).data, {
    reload: [['webhooks']],
    onDone: ({ secret }) => onRegistered(secret),
  })
  if (!isAdmin)
    return (
      <EmptyState title="No webhook is registered">
        An administrator of the organization can register one.
      </EmptyState>
    )
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        Register a webhook
      </Title>
      <Text size="sm" mb="sm">
        We post a signed <code>asset.moved</code> to it whenever an asset is seen somewhere else.
      </Text>
      <SendForm send={send} label="Register" onSubmit={() => send.send(undefined)} shownFields={['url']}>
        <TextInput
          label="Address"
          description="HTTPS, reachable from the internet"
          placeholder="https://example.com/whereabouts"
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={send.fields['url']}
          required
        />
      </SendForm>
    </Paper>
  )
}
