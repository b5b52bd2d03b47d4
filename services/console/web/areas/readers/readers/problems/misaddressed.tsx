import { Alert, Code, Text } from '@mantine/core'
import { When } from '../../../../parts/time/when.tsx'
import { useSession } from '../../../../session/use-session.ts'
import { mqttTopic } from '../../../connect/broker-address.ts'
import type { Reader } from '../reader-fields.ts'
import { isLost, useReaderMessages } from './use-reader-messages.ts'

/**
 * Says that a device with a key of this reader is there, but nothing arrives: over MQTT the broker acknowledges a message with a
 * wrong topic and drops it, so the device shows no error (ADR 109).
 */
export function Misaddressed({ id, reader }: { id: number; reader: Reader }) {
  const { org } = useSession()
  const lost = useReaderMessages(id).data?.find(isLost)
  if (lost === undefined) return null
  const topic = mqttTopic({
    orgId: org.id,
    readerKey: reader.reader_key,
    format: reader.format ?? 'canonical',
  })
  return (
    <Alert color="yellow" variant="light" title="The device is connected, but nothing arrives">
      <Text size="sm">
        Its user name was last used <When at={lost.received_at} />. If it sends, its topic is wrong: the
        broker drops such messages, and the device shows no error. The topic has to begin with{' '}
        <Code>{topic}</Code>, without a slash before it.
      </Text>
    </Alert>
  )
}
