import { afterEach, expect, test } from 'vitest'
import { buildInfo } from '../observe/build-info.ts'
import { createRegistry } from '../observe/metrics.ts'
import { startOps, type Ops } from './ops.ts'

let ops: Ops | undefined
afterEach(() => ops?.close())

const has = { database: true, broker: true }

async function ask(path: string) {
  const reply = await fetch(`http://127.0.0.1:${ops?.port}${path}`)
  return { status: reply.status, text: await reply.text() }
}

async function readyz() {
  const { status, text } = await ask('/readyz')
  return { status, body: JSON.parse(text) as unknown }
}

test('a service is ready without what it works without, and shows that it is missing', async () => {
  Object.assign(has, { database: true, broker: false })
  ops = await startOps({
    host: '127.0.0.1',
    port: 0,
    registry: createRegistry('test'),
    ready: () => ({ database: has.database }),
    optional: () => ({ broker: has.broker }),
  })
  const checks = { database: true }
  const optional = { broker: false }
  expect(await readyz()).toEqual({ status: 200, body: { ready: true, stopping: false, checks, optional } })
  // An alert tells people about an unready service, so what is optional is not among these.
  expect((await ask('/metrics')).text).not.toContain('check="broker"')

  has.database = false
  expect(await readyz()).toMatchObject({ status: 503, body: { ready: false, checks: { database: false } } })
  expect((await ask('/metrics')).text).toContain('readiness_check{check="database",service="test"} 0')

  has.database = true
  ops.unready()
  expect(await readyz()).toMatchObject({ status: 503, body: { ready: false, stopping: true } })
  const health = await ask('/healthz')
  expect(health.status).toBe(200)
  expect(JSON.parse(health.text)).toEqual({ status: 'ok', ...buildInfo() })
})
