import { createClient, unwrap } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { dropOld, KINDS, takeBoth, useNew, type SecretValues } from '@whereabouts/deploy/kubernetes/rotation'
import type { NatsSecrets } from '@whereabouts/deploy/workshop/servers/nats-server'
import { perService, type ServiceName } from '@whereabouts/deploy/installation/services'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startClusterSystem, type ClusterSystem } from '../../system/cluster.ts'
import { newLocation, newOrganization, newReader, newWebhook } from '../../system/organization.ts'
import {
  importAssets,
  PATIENTLY,
  startReplicas,
  unboundedKey,
  type ReplicatedSystem,
} from './replicated-system.ts'
import { migrate, secretsOf } from './steps.ts'
import { startTraffic } from './traffic.ts'

let system: ClusterSystem
let replicated: ReplicatedSystem

beforeAll(async () => {
  system = await startClusterSystem({ services: [] })
  const caFile = { NATS_CA_FILE: system.cluster.caFile }
  replicated = await startReplicas(system, { env: perService(() => caFile) })
})
afterAll(async () => {
  await replicated.stop()
  await system.stop()
})

/** The secrets of nats-server, from its Secret. */
const brokerSecrets = ({ nats = {} }: SecretValues): NatsSecrets => ({
  callout_password: nats['CALLOUT_PASSWORD'] ?? '',
  services_password: nats['SERVICES_PASSWORD'] ?? '',
  system_password: nats['SYSTEM_PASSWORD'] ?? '',
  callout_issuer: nats['CALLOUT_ISSUER'] ?? '',
  callout_xkey: nats['CALLOUT_XKEY'] ?? '',
})

/** Replaces the replicas of the services with the values of their Secrets, as `kubectl rollout restart` does. */
async function rollOut(secrets: SecretValues, only?: ServiceName): Promise<void> {
  const caFile = { NATS_CA_FILE: system.cluster.caFile }
  for (const replica of replicated.replicas.filter(({ name }) => only === undefined || name === only))
    await replicated.replace(replica, { env: { ...caFile, ...secrets[replica.name] } })
}

test(
  'passwords of the database and the brokers and the key of the gateway are changed under load: no request fails',
  { timeout: 400_000 },
  async () => {
    const { base, place } = replicated
    const org = await newOrganization(place, 'rotation')
    const { access_token: adminToken } = await signIn(createClient({ baseUrl: base }), org.login)
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    await newWebhook(org, system.receiver.url)
    const keyToken = await unboundedKey(place, org)
    const tags = await importAssets({ place, org }, 6_000)
    const urls = { nats: system.cluster.url, mqtt: system.cluster.members[0]?.mqttUrl ?? '' }
    const brokers = { urls, ca: system.ca, restart: true }
    const traffic = startTraffic({ base, org, adminToken, keyToken, brokers, tags })
    await expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2)

    const both = takeBoth(secretsOf(system.stack), KINDS)
    await rollOut(both)
    expect(traffic.failures).toEqual([])

    const used = useNew(both)
    expect(await migrate(used)).toContain(
      'set another password for gateway, catalog, tracking, keys, webhooks',
    )
    for (const member of system.cluster.members) {
      await member.stop()
      await member.start(brokerSecrets(used))
    }
    await rollOut(used, 'gateway')
    expect(traffic.failures).toEqual([])

    const after = dropOld(used)
    await rollOut(after)
    expect(traffic.failures).toEqual([])

    // The next deployment changes nothing, and a service starts after it.
    expect(await migrate(after)).toContain('nothing to do')
    await rollOut(after, 'tracking')
    await traffic.pause()
    expect(traffic.failures).toEqual([])

    const { scanned } = traffic
    const located = async () =>
      unwrap(
        await org.admin.GET('/api/v1/reports/asset-locations', {
          params: { query: { limit: 1, location_id: [dock] } },
        }),
      ).total_count
    expect(scanned.length).toBeGreaterThan(100)
    await vi.waitUntil(async () => (await located()) === scanned.length, PATIENTLY)
    const delivered = () => new Set(system.receiver.received.map(({ body }) => deliveryIdOf(body)))
    await vi.waitUntil(() => delivered().size >= scanned.length, PATIENTLY)
    expect(delivered().size).toBe(scanned.length)
    await traffic.stop()
  },
)

const deliveryIdOf = (body: Buffer) => (JSON.parse(body.toString()) as { delivery_id: string }).delivery_id
