import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { FailureNotice } from '../../parts/load/failure-notice.tsx'
import { SecretOnce } from '../../parts/form/secret-once.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'

export type Credentials = { clientId: string; clientSecret: string }

type Props = {
  readerKey: string
  /** While they are visible. */
  credentials: Credentials | undefined
  onChange: (credentials: Credentials | undefined) => void
}

/** Creates an API key that can only publish messages of this reader: user name and password of the device. */
export function ReaderCredentials({ readerKey, credentials, onChange }: Props) {
  const { org, isAdmin } = useSession()
  const send = useSend(
    () =>
      api.post('/api/v1/orgs/{org_id}/api-keys', {
        path: { org_id: org.id },
        body: { name: `Reader ${readerKey}`, scopes: ['scans:write'], reader_key: readerKey },
      }),
    {
      reload: [['api-keys']],
      onDone: ({ client_id, client_secret }) =>
        onChange({ clientId: client_id, clientSecret: client_secret }),
    },
  )
  if (!isAdmin)
    return (
      <Text size="sm">
        The device needs a user name and a password. Ask an administrator to create them here.
      </Text>
    )
  if (credentials)
    return (
      <Paper withBorder p="md">
        <SecretOnce
          secrets={[
            { label: 'User name', value: credentials.clientId },
            { label: 'Password', value: credentials.clientSecret },
          ]}
          onStored={() => onChange(undefined)}
        />
      </Paper>
    )
  return (
    <Stack gap="xs">
      {send.error !== undefined && <FailureNotice error={send.error} />}
      <Group gap="sm">
        <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
          Create user name and password
        </Button>
        <Text size="sm" c="dimmed" style={{ flex: '1 1 16rem' }}>
          {send.result
            ? `User name ${send.result.client_id}. Click again to create another pair.`
            : 'For this reader only. It can send reads, and nothing else. Listed under API keys.'}
        </Text>
      </Group>
    </Stack>
  )
}
