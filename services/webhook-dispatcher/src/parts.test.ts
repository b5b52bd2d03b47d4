import { createFrame } from '@whereabouts/service-kit/service/run'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { dispatcher } from './parts.ts'

const settings = {
  ENVIRONMENT: 'local',
  LOG_LEVEL: 'silent',
  PORT: '0',
  OPS_PORT: '0',
  DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
  NATS_URL: 'nats://127.0.0.1:1',
  NATS_PASSWORD: 'p',
  PRINCIPAL_PUBLIC_KEY: Buffer.alloc(32, 1).toString('base64url'),
  WEBHOOK_SECRET_KEYS: `k1:${'x'.repeat(43)}`,
}

test('the parts stop in this order, and start in the reverse, each after what it needs', async () => {
  const parts = dispatcher(await createFrame('webhook-dispatcher', loadConfig(settings)))
  expect(parts.map(({ name, needs }) => (needs ? `${name} needs ${needs.name}` : name))).toEqual([
    'drain needs ops',
    'deliveries needs broker',
    'recorder needs broker',
    'api',
    'chats needs broker',
    'targets',
    'erasures needs broker',
    'watch needs broker',
    'loops',
    'outbox needs broker',
    'broker',
    'database',
    'ops needs api',
  ])
})
