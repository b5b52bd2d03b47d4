import { Anchor, List, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyField } from '../../parts/form/copy-field.tsx'
import { Disclosure } from '../../parts/table/disclosure.tsx'
import { Loaded } from '../../parts/load/loaded.tsx'
import { useSettings } from '../../parts/load/use-settings.ts'
import { httpsAddress, mqttTopic, natsSubject, type ReaderTopic } from './broker-address.ts'
import { formatLabel } from './formats.ts'
import { vendorSteps } from './vendor-steps.ts'

type Props = {
  topic: ReaderTopic
  /** User name and password, or how to get them. */
  credentials: ReactNode
  headingOrder: 2 | 3
}

/** What to enter on the device: broker, topic, credentials and the steps of its vendor. */
export function DeviceSettings({ topic, credentials, headingOrder }: Props) {
  const urls = useSettings()
  const { guide, steps, values } = vendorSteps(topic.format)
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
      {credentials}
      <Title order={headingOrder} size="h6" mt="xs">
        {formatLabel(topic.format)}
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
        <Disclosure summary="For technicians: NATS, HTTPS, quality of service, client ID">
          <Address label="NATS broker" url={urls.data.reader_nats_url} />
          <CopyField label="NATS subject" value={natsSubject(topic)} />
          <CopyField
            label="HTTPS address"
            description="For a device that calls a URL. It posts each message, with user name and password."
            value={httpsAddress(topic)}
          />
          <Text size="sm" c="dimmed">
            Over MQTT, publish with QoS 1, without retain or last will. Give each device its own MQTT client
            ID.
          </Text>
        </Disclosure>
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
