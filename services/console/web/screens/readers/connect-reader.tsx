import { List, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyField } from '../../parts/copy-field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/use-session.ts'
import { mqttTopic, natsSubject } from './broker-address.ts'
import { formatLabel } from './formats.ts'
import { type Credentials, ReaderCredentials } from './reader-credentials.tsx'
import { type BrokerUrls, useBrokerUrls } from './use-broker-urls.ts'
import { vendorSteps } from './vendor-steps.ts'

type Props = {
  readerKey: string
  format: string
  /** More that needs the address and, while they are shown, the credentials. */
  children?: (urls: BrokerUrls, credentials: Credentials | undefined) => ReactNode
}

/** What to type into the device: broker, topic, credentials, and what is special about its vendor. */
export function ConnectReader({ readerKey, format, children }: Props) {
  const { org } = useSession()
  const [credentials, setCredentials] = useState<Credentials>()
  const urls = useBrokerUrls()
  const place = { orgId: org.id, readerKey, format }
  const { steps, values } = vendorSteps(format)
  return (
    <Stack gap="sm">
      <Loaded query={urls} what="the addresses of the broker">
        {({ reader_mqtt_url: mqtt, reader_nats_url: nats }) => (
          <>
            <Address label="Broker for MQTT" url={mqtt} />
            <CopyField label="Topic (MQTT)" value={mqttTopic(place)} />
            <Address label="Broker for NATS" url={nats} />
            <CopyField label="Subject (NATS)" value={natsSubject(place)} />
            <Text size="sm" c="dimmed">
              Publish with QoS 1, without retain and last will, and give each device an MQTT client id of its
              own.
            </Text>
          </>
        )}
      </Loaded>
      <ReaderCredentials readerKey={readerKey} credentials={credentials} onChange={setCredentials} />
      <Title order={3} size="h6" mt="xs">
        {formatLabel(format)}
      </Title>
      <List size="sm" spacing="xs">
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      {values?.(place).map(({ label, value }) => (
        <CopyField key={label} label={label} value={value} />
      ))}
      {urls.data && children?.(urls.data, credentials)}
    </Stack>
  )
}

function Address({ label, url }: { label: string; url: string | null }) {
  if (url !== null) return <CopyField label={label} value={url} />
  return (
    <Text size="sm">
      <strong>{label}:</strong> this installation does not tell the address. Ask its operator for it.
    </Text>
  )
}
