import { createFrame } from '@whereabouts/service-kit/service/run'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { keys } from './parts.ts'

const settings = {
  ENVIRONMENT: 'local',
  LOG_LEVEL: 'silent',
  PORT: '0',
  OPS_PORT: '0',
  DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
  NATS_URL: 'nats://127.0.0.1:1',
  NATS_PASSWORD: 'p',
  PRINCIPAL_PUBLIC_KEY: Buffer.alloc(32, 1).toString('base64url'),
  SIGNING_KEY_SECRET: 'x'.repeat(43),
  CALLOUT_PASSWORD: 'p',
  CALLOUT_ISSUER_SEED: `SA${'A'.repeat(56)}`,
  CALLOUT_XKEY_SEED: `SX${'A'.repeat(56)}`,
  NATS_SYSTEM_PASSWORD: 'p',
}

test('the parts stop in this order, and start in the reverse, each after what it needs', async () => {
  const parts = keys(await createFrame('keys', loadConfig(settings)))
  expect(parts.map(({ name, needs }) => (needs ? `${name} needs ${needs.name}` : name))).toEqual([
    'drain needs ops',
    'api',
    'logins needs broker',
    'people needs broker',
    'audit needs broker',
    'watch needs broker',
    'loops',
    'outbox',
    'broker',
    'database',
    'ops needs api',
  ])
})
