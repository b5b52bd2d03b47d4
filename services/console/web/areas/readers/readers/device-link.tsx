import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { addressWithToken } from '../../../parts/load/open-api.ts'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'
import { QrCode } from '../../../parts/page/qr-code.tsx'
import { dayTime } from '../../../parts/time/times.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import type { ReaderFormat } from '../../connect/formats.ts'

/** A link for the person at the device, who needs no account. Opening it creates user name and password. */
export function DeviceLink({ readerKey, format }: { readerKey: string; format: string }) {
  const { org } = useSession()
  const send = useSend(() =>
    api.post('/api/v1/orgs/{org_id}/provisioning-links', {
      path: { org_id: org.id },
      body: { reader_key: readerKey, format: format as ReaderFormat },
    }),
  )
  if (send.result) {
    const address = addressWithToken('/provision', send.result.token)
    return (
      <Paper withBorder p="md">
        <SecretOnce
          secrets={[{ label: `Link for ${readerKey}`, value: address }]}
          onStored={send.reset}
          storedLabel="I have handed it over"
          advice={
            'Give it only to the person at the device: it shows the user name and password of ' +
            `${readerKey}. It works once, until ${dayTime(send.result.expires_at)}.`
          }
        >
          <QrCode text={address} label={`QR code of the link for ${readerKey}`} />
        </SecretOnce>
      </Paper>
    )
  }
  return (
    <Stack gap="xs">
      {send.error !== undefined && <FailureNotice error={send.error} />}
      <Group gap="sm">
        <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
          Make a link for the device
        </Button>
        <Text size="sm" c="dimmed" style={{ flex: '1 1 16rem' }}>
          For a technician without an account: a link and QR code that show all these settings once.
        </Text>
      </Group>
    </Stack>
  )
}
