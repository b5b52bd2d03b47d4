import { Anchor, List, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyField } from '../../parts/copy-field.tsx'
import { Disclosure } from '../../parts/disclosure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/use-session.ts'
import { mqttTopic, natsSubject } from './broker-address.ts'
import { formatLabel } from './formats.ts'
import { type Credentials, ReaderCredentials } from './reader-credentials.tsx'
import { type Settings, useSettings } from '../../parts/use-settings.ts'
import { vendorSteps } from './vendor-steps.ts'

type Props = {
  readerKey: string
  format: string
  /** Further content that needs the addresses and, while visible, the credentials. */
  children?: (urls: Settings, credentials: Credentials | undefined) => ReactNode
}

/** Settings for the device: broker, topic, credentials and steps of its vendor. */
export function ConnectReader({ readerKey, format, children }: Props) {
  const { org } = useSession()
  const [credentials, setCredentials] = useState<Credentials>()
  const urls = useSettings()
  const topic = { orgId: org.id, readerKey, format }
  const { guide, steps, values } = vendorSteps(format)
  return (
    <Stack gap="sm">
      <Text size="sm">On the device, open the MQTT settings and enter these values:</Text>
      <Loaded query={urls} what="the broker addresses">
        {({ reader_mqtt_url: mqtt }) => (
          <>
            <Address
              label="MQTT broker"
              help="Where the device sends to. Some devices call it server or host."
              url={mqtt}
            />
            <CopyField
              label="MQTT topic"
              description="Names your organization, this reader and the kind of its messages."
              value={mqttTopic(topic)}
            />
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
      <Anchor href={guide} target="_blank" size="sm">
        All settings of this device, in the guide
      </Anchor>
      {values?.(topic).map(({ label, value }) => (
        <CopyField key={label} label={label} value={value} />
      ))}
      {urls.data && (
        <>
          <Disclosure summary="For technicians: NATS, quality of service, client ID">
            <Address label="NATS broker" url={urls.data.reader_nats_url} />
            <CopyField label="NATS subject" value={natsSubject(topic)} />
            <Text size="sm" c="dimmed">
              Over MQTT, publish with QoS 1, without retain or last will. Give each device its own MQTT client
              ID.
            </Text>
          </Disclosure>
          {children?.(urls.data, credentials)}
        </>
      )}
    </Stack>
  )
}

type AddressProps = { label: string; help?: string; url: string | null }

function Address({ label, help, url }: AddressProps) {
  if (url !== null)
    return <CopyField label={label} value={url} {...(help !== undefined && { description: help })} />
  return (
    <Text size="sm">
      <strong>{label}:</strong> not configured on this installation. Ask its operator.
    </Text>
  )
}
