import { createFrame } from '@whereabouts/service-kit/service/run'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { consoleParts } from './parts.ts'

const settings = {
  ENVIRONMENT: 'local',
  LOG_LEVEL: 'silent',
  PORT: '0',
  OPS_PORT: '0',
  PUBLIC_URL: 'http://127.0.0.1:1',
  KEYS_URL: 'http://127.0.0.1:1',
}

test('the parts stop in this order, and start in the reverse, each after what it needs', async () => {
  const parts = await consoleParts(await createFrame('console', loadConfig(settings)))
  expect(parts.map(({ name, needs }) => (needs ? `${name} needs ${needs.name}` : name))).toEqual([
    'drain needs ops',
    'api',
    'connections to keys',
    'ops needs api',
  ])
})
