import { connect } from 'nats'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  reportRows,
  historyRows,
  type Organization,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { startSystem, type System } from '../system/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const ASSETS = 60
/** Longer than the broker waits for a crashed consumer before it redelivers its messages. */
const SETTLED = { timeout: 50_000, interval: 1_000 } // the key's bucket refills by one request a second

const deliveriesTo = (path: string) =>
  system.receiver.received
    .filter((delivery) => delivery.path === path)
    .map(
      (delivery) =>
        JSON.parse(delivery.body.toString()) as { delivery_id: string; data: { asset: { id: number } } },
    )

/** Creates an asset like an integrator, with retries. If the key is taken, the reply of an earlier attempt was lost. */
async function createAsset(org: Organization, externalKey: string): Promise<number> {
  const body = {
    name: externalKey,
    external_key: externalKey,
    tags: [{ tag_type: 'barcode', value: externalKey }],
  } as const
  return vi.waitUntil(async () => {
    const reply = await org.integrator
      .POST('/api/v1/assets', { body: { ...body, tags: [...body.tags] } })
      .catch(() => undefined)
    if (reply?.data) return reply.data.data.id
    if (reply?.response.status !== 409) return false
    const query = { external_key: [externalKey] }
    const found = await org.integrator.GET('/api/v1/assets', { params: { query } }).catch(() => undefined)
    return found?.data?.data[0]?.id ?? false
  }, SETTLED)
}

/** The number of movements of the organization in EVENTS, which shows duplicates before any delivery. */
async function eventCount(orgId: number): Promise<number> {
  const { urls, secrets } = system.stack
  const nc = await connect({ servers: urls.nats, user: 'services', pass: secrets.nats.services_password })
  const subject = `events.asset-moved.${orgId}`
  const info = await (await nc.jetstreamManager()).streams.info('EVENTS', { subjects_filter: subject })
  await nc.close()
  return info.state.subjects?.[subject] ?? 0
}

// Without the gateway or catalog nothing can be created, so they restart at once. The others stay down for a third of
// the flow, while readers and integrators continue.
const victims = [
  { name: 'tracking', downFor: ASSETS / 3 },
  { name: 'webhook-dispatcher', downFor: ASSETS / 3 },
  { name: 'keys', downFor: ASSETS / 3 },
  { name: 'catalog', downFor: 0 },
  { name: 'gateway', downFor: 0 },
] as const

describe('SIGKILL in the middle of the flow loses nothing and announces nothing twice', () => {
  test.for(victims)('$name', { timeout: 180_000 }, async ({ name, downFor }) => {
    const { stack, receiver } = system
    const org = await newOrganization(stack, `killed-${name}`)
    const locationId = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId, antennas: 1 })
    await newWebhook(org, receiver.url.replace('/hook', `/${name}`))
    const reader = await connectReader(stack, org.readerKey, 'nats')
    const control = stack.service(name)

    const ids: number[] = []
    let [begun, killed, restarted] = [0, Promise.resolve(), Promise.resolve()]
    /** Creates assets and scans each at once, until all exist. */
    async function work(): Promise<void> {
      while (begun < ASSETS) {
        const i = begun
        begun += 1
        // Not awaited: the crash happens while other requests and messages are in flight.
        if (i === ASSETS / 3) killed = control.kill('SIGKILL')
        if (i === ASSETS / 3 + downFor)
          restarted = killed.then(() => control.start()).then(() => control.waitReady())
        const key = `BOX-${name}-${i}`
        ids.push(await createAsset(org, key))
        const read = { tag: { type: 'barcode', value: key } }
        await reader.publish(org.id, 'gate', 'canonical', Buffer.from(JSON.stringify({ reads: [read] })))
      }
    }
    await Promise.all([work(), work(), work(), work()])
    await restarted

    await vi.waitUntil(async () => (await reportRows(org)).length === ASSETS, SETTLED)
    for (const id of ids) expect(await historyRows(org, id)).toHaveLength(1)
    await vi.waitUntil(
      () => new Set(deliveriesTo(`/${name}`).map((d) => d.data.asset.id)).size === ASSETS,
      SETTLED,
    )
    expect(await eventCount(org.id)).toBe(ASSETS)
    // A delivery may be repeated after a crash, then under the same id.
    expect(new Set(deliveriesTo(`/${name}`).map((d) => d.delivery_id)).size).toBe(ASSETS)
    await reader.close()
  })
})
