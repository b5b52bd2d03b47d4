import { createClient, exchangeKey, signIn, unwrap } from '@whereabouts/client/client'
import { perService, type ServiceName } from '@whereabouts/deploy/local/services'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBalancer, type Balancer } from '../../system/balancer.ts'
import {
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  type Organization,
} from '../../system/organization.ts'
import { operatorOf } from '../../system/operator.ts'
import { startReplica, type Replica } from '../../system/replicas.ts'
import { startSystem, type System } from '../../system/system.ts'
import { startTraffic } from './traffic.ts'

const SERVICES = ['keys', 'catalog', 'tracking', 'webhook-dispatcher', 'console', 'gateway'] as const
/** As in a cluster, but shorter: a drain lasts longer than idle connections of the callers. */
const DRAIN = { DRAIN_MS: '1000' }
const PATIENTLY = { timeout: 60_000, interval: 200 }

/**
 * An installed checkout of the previous release. The replicas start with it, and each restart upgrades to this
 * release.
 */
const OLDER = process.env['OLDER_RELEASE']

let system: System
const replicas: Replica[] = []
const balancers = {} as Record<ServiceName, Balancer>
let env = {} as Record<ServiceName, Record<string, string>>

beforeAll(async () => {
  system = await startSystem({}, { services: [] })
  const { stack, receiver } = system
  const caFile = join(stack.dataDir, 'receiver-ca.pem')
  writeFileSync(caFile, receiver.ca)
  for (const name of SERVICES) balancers[name] = await startBalancer()
  env = {
    ...perService(() => DRAIN),
    'webhook-dispatcher': { ...DRAIN, NODE_EXTRA_CA_CERTS: caFile },
    gateway: {
      ...DRAIN,
      UPSTREAM_KEEP_ALIVE_MS: '300',
      CATALOG_URL: balancers.catalog.url,
      TRACKING_URL: balancers.tracking.url,
      KEYS_URL: balancers.keys.url,
      WEBHOOK_DISPATCHER_URL: balancers['webhook-dispatcher'].url,
      CONSOLE_URL: balancers.console.url,
    },
  }
  const root = OLDER === undefined ? {} : { root: OLDER }
  for (const name of SERVICES)
    for (const _ of [1, 2]) {
      const replica = await startReplica(stack, name, { env: env[name], ...root })
      replicas.push(replica)
      balancers[name].add(replica)
    }
  await bothReady()
})
afterAll(async () => {
  await Promise.all(replicas.map(({ control }) => control.stop()))
  await Promise.all(Object.values(balancers).map((balancer) => balancer.close()))
  await system.stop()
})

/** Resolves when the balancers know that both replicas are ready. */
const bothReady = () =>
  vi.waitUntil(() => SERVICES.every((name) => balancers[name].readyCount === 2), PATIENTLY)

/** An integrator's token whose bucket does not become empty under the traffic. */
async function unboundedKey(org: Organization, base: string): Promise<string> {
  const body = { name: 'traffic', scopes: ['assets:read', 'scans:read'] as const }
  const made = await org.admin.POST('/api/v1/orgs/{org_id}/api-keys', {
    params: { path: { org_id: org.id } },
    body: { ...body, scopes: [...body.scopes] },
  })
  const { jti, client_id: clientId, client_secret: clientSecret } = unwrap(made).data
  const limited = await operatorOf(system.stack)(['key', 'limit', jti, '--per-minute', '100000'])
  expect(limited.exitCode).toBe(0)
  return (await exchangeKey(createClient({ baseUrl: base }), { clientId, clientSecret })).access_token
}

/** `count` assets with a tag of the same name each, by an import. */
async function importAssets(org: Organization, base: string, token: string, count: number) {
  const tags = Array.from({ length: count }, (_, i) => `T-${i}`)
  const file = ['external_key,name,barcode', ...tags.map((tag) => `${tag},${tag},${tag}`)].join('\n')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv', 'user-agent': 'rolling/1' }
  const sent = await fetch(`${base}/api/v1/imports?resource=assets`, { method: 'POST', headers, body: file })
  const { data } = (await sent.json()) as { data: { id: number } }
  const path = { import_id: data.id }
  await expect
    .poll(
      async () =>
        unwrap(await org.admin.GET('/api/v1/imports/{import_id}', { params: { path } })).data.created,
      PATIENTLY,
    )
    .toBe(count)
  return tags
}

test(
  'every service is restarted, replica by replica, under load: no request fails, no scan, event or login is lost',
  { timeout: 240_000 },
  async () => {
    const base = balancers.gateway.url
    const place = { ...system.stack, urls: { ...system.stack.urls, base } }
    const org = await newOrganization(place, 'rolling')
    const anyone = createClient({ baseUrl: base })
    const { access_token: adminToken } = await signIn(anyone, org.login)
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    await newWebhook(org, system.receiver.url)
    const keyToken = await unboundedKey(org, base)
    const tags = await importAssets(org, base, adminToken, 3_000)

    const { urls } = system.stack
    const brokers = { nats: urls.nats, mqtt: urls.mqtt }
    const traffic = startTraffic({ base, org, adminToken, keyToken, brokers, tags })
    await expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2)

    const codes: string[] = []
    for (const [i, replica] of replicas.entries()) {
      const { name, control } = replica
      await control.kill('SIGTERM')
      codes.push(`${name}: ${await control.ended()}`)
      replicas[i] = await startReplica(system.stack, name, { env: env[name], like: replica })
      await bothReady()
    }
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
