import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { newAsset, newLocation, newOrganization, newWebhook } from '../../system/organization.ts'
import { startSystem, type System } from '../../system/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(() => {
  // Long enough that many deliveries are waiting when the service stops.
  system.receiver.respondWith((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 50)
  })
})

const ASSETS = 200
/** Longer than the broker waits for a crashed consumer before it redelivers its messages. */
const SETTLED = { timeout: 60_000, interval: 500 }

/** An organization that saves all its assets at once, with a webhook at its own path. */
async function bigSave(name: string) {
  const { stack, receiver } = system
  const org = await newOrganization(stack, name)
  await newLocation(org, 'Dock', 'DOCK')
  const secret = await newWebhook(org, receiver.url.replace('/hook', `/${name}`))
  const keys: string[] = []
  for (let i = 0; i < ASSETS; i += 1) keys.push((await newAsset(org, `Box ${i}`, [])).external_key)
  const body = { asset_identifiers: keys, location_identifier: 'DOCK' }
  const save = async () =>
    expect((await org.integrator.POST('/api/v1/inventory/save', { body })).response.status).toBe(201)
  const deliveries = () => receiver.received.filter(({ path }) => path === `/${name}`)
  const ids = () => deliveries().map(({ headers }) => headers['x-service-delivery'] ?? '')
  return { secret, save, deliveries, ids }
}

/** Stops the service in the middle of the deliveries and starts it again. */
async function interrupt(signal: 'SIGTERM' | 'SIGKILL', begun: () => number): Promise<void> {
  const control = system.stack.service('webhook-dispatcher')
  await vi.waitUntil(() => begun() > 20, SETTLED)
  await control.kill(signal)
  expect(begun()).toBeLessThan(ASSETS)
  control.start()
  await control.waitReady()
}

test(
  'SIGTERM in the middle of a save: every event is delivered, and none twice',
  { timeout: 180_000 },
  async () => {
    const { save, ids } = await bigSave('terminated')
    await save()
    await interrupt('SIGTERM', () => ids().length)
    await vi.waitUntil(() => new Set(ids()).size === ASSETS, SETTLED)
    expect(ids()).toHaveLength(ASSETS)
  },
)

test(
  'SIGKILL in the middle of a save: every event is delivered, and redeliveries are identical',
  {
    timeout: 180_000,
  },
  async () => {
    const { secret, save, deliveries, ids } = await bigSave('killed')
    await save()
    await interrupt('SIGKILL', () => ids().length)
    await vi.waitUntil(() => new Set(ids()).size === ASSETS, SETTLED)
    const first = new Map(
      deliveries()
        .toReversed()
        .map((delivery) => [delivery.headers['x-service-delivery'], delivery]),
    )
    for (const { headers, body } of deliveries()) {
      const timestamp = headers['x-service-timestamp']
      const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
      expect(headers['x-service-signature']).toBe(`sha256=${signature}`)
      expect(body).toEqual(first.get(headers['x-service-delivery'])?.body)
    }
  },
)

test(
  'the broker crashes in the middle of a save: every event is delivered',
  { timeout: 180_000 },
  async () => {
    const { save, ids } = await bigSave('broker')
    await save()
    await vi.waitUntil(() => ids().length > 20, SETTLED)
    await system.stack.broker.restart()
    await expect.poll(() => new Set(ids()).size, SETTLED).toBe(ASSETS)
  },
)
