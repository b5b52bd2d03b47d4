import { Alert, Button, Stack, Text } from '@mantine/core'
import { useSend } from '../../../../parts/form/use-send.ts'
import { FailureNotice } from '../../../../parts/load/failure-notice.tsx'
import { api } from '../../../../session/api.ts'
import { chatName, mailText } from '../../words/notify.ts'

/** Sends a message to all that the stored rule tells, and shows what became of each. */
export default function TestRule({ id }: { id: number }) {
  const send = useSend(() => api.post('/api/v1/rules/{rule_id}/test', { path: { rule_id: id } }), {
    reload: [],
  })
  const { result } = send
  const lines = result && [
    ...result.email.map(({ to, mail }) => ({ text: `${to}: ${mailText(mail)}`, isFine: mail === 'sent' })),
    ...result.chat.map(({ kind, error }) => ({
      text: `${chatName(kind)}: ${error ?? 'delivered'}`,
      isFine: error === null,
    })),
  ]
  return (
    <Stack gap="xs" mt="md">
      <Button
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => send.send(undefined)}
        loading={send.isSending}
      >
        Send a test message
      </Button>
      <Text size="sm" c="dimmed">
        To all that the saved rule tells by mail and in channels.
      </Text>
      {send.error !== undefined && <FailureNotice error={send.error} />}
      {lines && !send.isSending && (
        <Alert
          role="status"
          color={lines.every(({ isFine }) => isFine) ? 'green' : 'red'}
          title={lines.length === 0 ? 'The saved rule tells nobody' : 'Test messages'}
        >
          {lines.map(({ text }) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
        </Alert>
      )}
    </Stack>
  )
}
