import { Code, Stack, Text, Title } from '@mantine/core'
import { CopyField } from '../../parts/copy-field.tsx'
import { useSession } from '../../session/use-session.ts'
import type { Credentials } from '../readers/reader-credentials.tsx'
import type { BrokerUrls } from '../readers/use-broker-urls.ts'
import { mosquittoCommand, scanCommand, trialMessage, trialTopic } from './trial-message.ts'

type Props = {
  readerKey: string
  antenna: number
  tag: { tag_type: string; value: string } | undefined
  urls: BrokerUrls
  credentials: Credentials | undefined
}

/** A first scan without a device. */
export function TryIt({ readerKey, antenna, tag, urls, credentials }: Props) {
  const { org } = useSession()
  if (!tag) return null
  const trial = {
    orgId: org.id,
    readerKey,
    antenna,
    tag,
    baseUrl: location.origin,
    natsUrl: urls.reader_nats_url,
    mqttUrl: urls.reader_mqtt_url,
    credentials,
  }
  const mosquitto = mosquittoCommand(trial)
  const scan = scanCommand(trial)
  return (
    <Stack gap="sm">
      <Title order={3} size="h6" mt="xs">
        No reader at hand?
      </Title>
      <Text size="sm">
        {credentials
          ? 'Publish this message as the reader would, with any client of MQTT or with one of the commands:'
          : 'Create credentials above first: then the commands below hold them. Publish this message as the reader would:'}
      </Text>
      <CopyField label="Topic of the message" value={trialTopic(trial)} />
      <CopyField label="Message" value={trialMessage(trial)} />
      {mosquitto !== undefined && (
        <CopyField label="Command, with Mosquitto" value={mosquitto} isSecret={credentials !== undefined} />
      )}
      {scan !== undefined && (
        <CopyField
          label="Simulated reader, in the folder of an installation of your own"
          description="Sees the tag every 5 seconds, until Ctrl-C. Keeps the credentials in a file below .data."
          value={scan}
          isSecret
        />
      )}
      <Text size="sm" c="dimmed">
        On an installation of your own, <Code>npm start</Code> also runs a simulated warehouse. It feeds the
        demo organization: sign in with what it prints to see things move. <Code>npm start -- --help</Code>{' '}
        says more.
      </Text>
    </Stack>
  )
}
