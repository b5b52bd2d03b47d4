import { describe, expect } from 'vitest'
import { test } from '../../test/gateway.fixture.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const LIMIT = 16 * 1024

describe('D2.7 bodies without a credential', () => {
  const open = ['/api/v1/auth/login', '/api/v1/auth/refresh', '/session/sign-in']

  test.for(open)('%s takes 16 KiB and not a byte more', async (path, { gateway }) => {
    const send = (bytes: number, headers = {}) =>
      gateway.request(path, {
        method: 'POST',
        headers: { ...JSON_BODY, ...headers },
        body: Buffer.alloc(bytes, 'x'),
      })
    expect((await send(LIMIT)).status).toBe(200)
    for (const headers of [{ 'content-length': String(LIMIT + 1) }, { 'transfer-encoding': 'chunked' }]) {
      const answer = await send(LIMIT + 1, headers)
      expect(answer.status).toBe(413)
      expect(answer.error()).toMatchObject({
        type: 'payload_too_large',
        detail: 'Request body must be at most 16 KiB',
      })
    }
  })

  test('a larger one is refused before it arrives', async ({ gateway }) => {
    const headers = { ...JSON_BODY, 'content-length': '1000000', expect: '100-continue' }
    const answer = await gateway.request('/api/v1/auth/login', { method: 'POST', headers, body: 'x' })
    expect(answer.status).toBe(413)
  })
})

test('bodies beyond the budget are refused until others were answered', async ({ startGateway, around }) => {
  const gateway = await startGateway({ maxBodyBytesInFlight: 4_000 })
  const [answers, arrived] = [Promise.withResolvers<object>(), Promise.withResolvers<void>()]
  around.respondFromKeys(() => (arrived.resolve(), answers.promise))
  const send = () =>
    gateway.request('/api/v1/auth/login', { method: 'POST', headers: JSON_BODY, body: 'x'.repeat(1_500) })
  const first = send()
  await arrived.promise
  const refused = await send()
  expect(refused.status).toBe(503)
  expect(refused.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
  answers.resolve({})
  expect((await first).status).toBe(200)
  await expect.poll(async () => (await send()).status).toBe(200)
  around.respondFromKeys(() => ({}))
})
