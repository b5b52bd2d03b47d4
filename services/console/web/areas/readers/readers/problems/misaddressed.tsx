import { Alert, Code, Text } from '@mantine/core'
import { useRead } from '../../../../parts/load/use-read.ts'
import { When } from '../../../../parts/time/when.tsx'
import { useSession } from '../../../../session/use-session.ts'
import { mqttTopic } from '../../../connect/broker-address.ts'
import type { Reader } from '../reader-fields.ts'

const REFRESH_MS = 30_000
/** The broker reports use about twice a minute. */
const LATE_MS = 120_000

/**
 * Says that a device with a key of this reader sends, but nothing arrives here: over MQTT the broker acknowledges a message
 * with a wrong topic and drops it, so the device shows no error. For administrators, who may see the keys.
 */
export function Misaddressed({ reader }: { reader: Reader }) {
  const { org } = useSession()
  const keys = useRead(['api-keys', 'of-readers'], '/api/v1/orgs/{org_id}/api-keys', {
    path: { org_id: org.id },
    query: { limit: 200 },
    refetchInterval: REFRESH_MS,
  })
  const used = (keys.data ?? [])
    .filter((key) => key.reader_key === reader.reader_key)
    .map((key) => key.last_used_at ?? '')
    .reduce((latest, at) => (at > latest ? at : latest), '')
  const heard = reader.health.last_seen_at
  if (used === '' || (heard !== null && Date.parse(used) - Date.parse(heard) < LATE_MS)) return null
  const topic = mqttTopic({
    orgId: org.id,
    readerKey: reader.reader_key,
    format: reader.format ?? 'canonical',
  })
  return (
    <Alert color="yellow" variant="light" title="The device is connected, but nothing arrives">
      <Text size="sm">
        Its user name was last used <When at={used} />. If it sends, its topic is wrong: the broker drops such
        messages, and the device shows no error. The topic has to begin with <Code>{topic}</Code>, without a
        slash before it.
      </Text>
    </Alert>
  )
}
