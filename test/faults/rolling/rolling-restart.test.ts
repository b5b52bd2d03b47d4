import { createClient, unwrap } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newLocation, newOrganization, newReader, newWebhook } from '../../system/organization.ts'
import { startSystem, type System } from '../../system/system.ts'
import {
  importAssets,
  PATIENTLY,
  startReplicas,
  unboundedKey,
  type ReplicatedSystem,
} from './replicated-system.ts'
import { startTraffic } from './traffic.ts'

/**
 * An installed checkout of the previous release. The replicas start with it, and each restart upgrades to this
 * release.
 */
const OLDER = process.env['OLDER_RELEASE']

let system: System
let replicated: ReplicatedSystem

beforeAll(async () => {
  system = await startSystem({}, { services: [] })
  replicated = await startReplicas(system, { root: OLDER })
})
afterAll(async () => {
  await replicated.stop()
  await system.stop()
})

test(
  'every service is restarted, replica by replica, under load: no request fails, no scan, event or login is lost',
  { timeout: 240_000 },
  async () => {
    const { base, place, replicas } = replicated
    const org = await newOrganization(place, 'rolling')
    const { access_token: adminToken } = await signIn(createClient({ baseUrl: base }), org.login)
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    await newWebhook(org, system.receiver.url)
    const keyToken = await unboundedKey(place, org)
    const tags = await importAssets({ base, token: adminToken, org }, 3_000)

    const { urls } = system.stack
    const brokers = { urls: { nats: urls.nats, mqtt: urls.mqtt } }
    const traffic = startTraffic({ base, org, adminToken, keyToken, brokers, tags })
    await expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2)

    const codes: string[] = []
    for (const replica of replicas) codes.push(await replicated.replace(replica))
    await traffic.pause()

    expect(traffic.failures).toEqual([])
    expect(codes).toEqual(replicas.map(({ name }) => `${name}: exit code 0`))

    // Every scan that the broker took is a row, a movement on the live feed and a delivery.
    const { scanned } = traffic
    expect(new Set(scanned).size).toBe(scanned.length)
    const count = async (path: '/api/v1/reports/asset-locations' | '/api/v1/assets') =>
      unwrap(await org.admin.GET(path, { params: { query: { limit: 1 } } })).total_count
    const located = async () =>
      unwrap(
        await org.admin.GET('/api/v1/reports/asset-locations', {
          params: { query: { limit: 1, location_id: [dock] } },
        }),
      ).total_count
    await vi.waitUntil(async () => (await located()) === scanned.length, PATIENTLY)
    expect(await count('/api/v1/assets')).toBe(tags.length + traffic.created.length)
    const delivered = () =>
      new Set(
        system.receiver.received.map(({ body }) => (JSON.parse(body.toString()) as Delivery).delivery_id),
      )
    await vi.waitUntil(() => delivered().size >= scanned.length, PATIENTLY)
    expect(delivered().size).toBe(scanned.length)
    await vi.waitUntil(() => traffic.seenLive().length >= scanned.length, PATIENTLY)
    expect(new Set(traffic.seenLive()).size).toBe(scanned.length)
    expect(traffic.seenLive()).toHaveLength(scanned.length)
    await traffic.stop()
  },
)

type Delivery = { delivery_id: string }
