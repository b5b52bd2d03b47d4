import { createFrame } from '@whereabouts/service-kit/service/run'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { gateway } from './parts.ts'

const settings = {
  ENVIRONMENT: 'local',
  LOG_LEVEL: 'silent',
  PORT: '0',
  OPS_PORT: '0',
  DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
  NATS_URL: 'nats://127.0.0.1:1',
  NATS_PASSWORD: 'p',
  PUBLIC_URL: 'http://127.0.0.1:1',
  TRUSTED_PROXIES: 'none',
  CATALOG_URL: 'http://127.0.0.1:1',
  TRACKING_URL: 'http://127.0.0.1:1',
  KEYS_URL: 'http://127.0.0.1:1',
  WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:1',
  CONSOLE_URL: 'http://127.0.0.1:1',
  PRINCIPAL_PRIVATE_KEY: 'x'.repeat(43),
}

test('the parts stop in this order, and start in the reverse, each after what it needs', async () => {
  const parts = gateway(await createFrame('gateway', loadConfig(settings)))
  expect(parts.map(({ name, needs }) => (needs ? `${name} needs ${needs.name}` : name))).toEqual([
    'drain needs ops',
    'api',
    'loops',
    'broker',
    'database',
    'ops needs api',
  ])
})
