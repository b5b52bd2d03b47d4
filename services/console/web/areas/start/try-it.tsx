import { Code, Text } from '@mantine/core'
import { CopyField } from '../../parts/form/copy-field.tsx'
import { Disclosure } from '../../parts/table/disclosure.tsx'
import { useSession } from '../../session/use-session.ts'
import type { Credentials } from '../connect/reader-credentials.tsx'
import type { Settings } from '../../parts/load/use-settings.ts'
import { mosquittoCommand, scanCommand, trialMessage, trialTopic } from './trial-message.ts'

type Props = {
  readerKey: string
  antenna: number
  tag: { tag_type: string; value: string } | undefined
  urls: Settings
  credentials: Credentials | undefined
}

/** How to publish a first scan without a device. */
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
    <Disclosure summary="Send a read from a shell or a program">
      <Text size="sm">
        {credentials
          ? 'Publish this message with any MQTT client or one of these commands:'
          : 'Create a user name and a password above first; the commands then include them. Publish this message:'}
      </Text>
      <CopyField label="Message topic" value={trialTopic(trial)} />
      <CopyField label="Message" value={trialMessage(trial)} />
      {mosquitto !== undefined && (
        <CopyField label="Mosquitto command" value={mosquitto} isSecret={credentials !== undefined} />
      )}
      {scan !== undefined && (
        <CopyField
          label="Simulated reader, run in the folder of your installation"
          description="Reads the tag every 5 seconds until Ctrl-C. Stores the credentials in a file in .data."
          value={scan}
          isSecret
        />
      )}
      <Text size="sm" c="dimmed">
        On your own installation, <Code>npm start</Code> also simulates a warehouse in a demo organization.
        Sign in with the login it prints. See <Code>npm start -- --help</Code>.
      </Text>
    </Disclosure>
  )
}
