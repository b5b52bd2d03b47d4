import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { uncompress } from '@whereabouts/testing/broker/streams'
import { expect } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'apply-topology.ts')

test('the step names the streams that a restart of the brokers compresses, once', async ({ bus }) => {
  const apply = async () => {
    const env = {
      ...process.env,
      NATS_URL: bus.server.url,
      NATS_USER: 'services',
      NATS_PASSWORD: bus.server.users.services.password,
    }
    return (await promisify(execFile)(process.execPath, [PROGRAM], { env })).stdout
  }
  await uncompress(bus.brokers.APP, 'SCANS')
  await uncompress(bus.brokers.MQTT, '$MQTT_msgs')
  expect(await apply()).toBe(
    'streams and consumers are up to date. The brokers compress SCANS, $MQTT_msgs once each of them is restarted: ' +
      'docs/operating.md\n',
  )
  expect(await apply()).toBe('streams and consumers are up to date\n')
})
