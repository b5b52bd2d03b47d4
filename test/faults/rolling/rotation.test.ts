import { createClient, signIn, unwrap } from '@whereabouts/client/client'
import { DATABASE } from '@whereabouts/deploy/database/roles'
import { DATABASE_ROLES, generateSecrets, type Secrets } from '@whereabouts/deploy/local/secrets'
import { perService, ROLES, roleUrl, ROOT, type ServiceName } from '@whereabouts/deploy/local/services'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startClusterSystem, type ClusterSystem } from '../../system/cluster.ts'
import { newLocation, newOrganization, newReader, newWebhook } from '../../system/organization.ts'
import {
  importAssets,
  PATIENTLY,
  startReplicas,
  unboundedKey,
  type Environments,
  type ReplicatedSystem,
} from './replicated-system.ts'
import { startTraffic } from './traffic.ts'

const run = promisify(execFile)

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

const addressOf = (name: ServiceName, secrets: Secrets): string | undefined => {
  const role = ROLES[name]
  return role && roleUrl(role, { secrets, postgresUrl: system.stack.urls.postgres, database: DATABASE })
}

/** The variables of every service that hold a password or the public key, all in one value. */
function secretsOf(next: Secrets, previous?: Secrets): Environments {
  const both = (of: (secrets: Secrets) => string) => [next, ...(previous ? [previous] : [])].map(of).join(',')
  return perService((name) => {
    const url = addressOf(name, next)
    const role = ROLES[name]
    const old = previous && role ? `?previous_password=${previous.database_passwords[role]}` : ''
    return {
      NATS_CA_FILE: system.cluster.caFile,
      ...(url !== undefined && { DATABASE_URL: `${url}${old}` }),
      NATS_PASSWORD: both(({ nats }) => nats.services_password),
      PRINCIPAL_PUBLIC_KEY: both((secrets) => secrets.principal_public_key),
      ...(name === 'keys' && {
        CALLOUT_PASSWORD: both(({ nats }) => nats.callout_password),
        NATS_SYSTEM_PASSWORD: both(({ nats }) => nats.system_password),
      }),
    }
  })
}

/** The migration step, with these passwords in its Secret. Returns what it reports. */
async function migrate(secrets: Secrets): Promise<string> {
  const postgresUrl = system.stack.urls.postgres
  const addresses = DATABASE_ROLES.map((role) => [
    `${role.toUpperCase()}_DATABASE_URL`,
    roleUrl(role, { secrets, postgresUrl, database: DATABASE }),
  ])
  const env = { ...process.env, ...Object.fromEntries(addresses), ADMIN_DATABASE_URL: postgresUrl }
  const { stdout, stderr } = await run(process.execPath, [join(ROOT, 'deploy/migrate.ts')], { env })
  return stdout + stderr
}

/** Replaces all replicas of the services for which `env` has variables, gateways first. */
async function rollOut(env: Environments): Promise<void> {
  const gatewaysFirst = replicated.replicas.toSorted(
    (a, b) => Number(b.name === 'gateway') - Number(a.name === 'gateway'),
  )
  for (const replica of gatewaysFirst) await replicated.replace(replica, env[replica.name])
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
    const tags = await importAssets({ base, token: adminToken, org }, 6_000)
    const urls = { nats: system.cluster.url, mqtt: system.cluster.members[0]?.mqttUrl ?? '' }
    const brokers = { urls, ca: system.ca, restart: true }
    const traffic = startTraffic({ base, org, adminToken, keyToken, brokers, tags })
    await expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2)

    const old = system.stack.secrets
    const next: Secrets = { ...generateSecrets(), postgres_password: old.postgres_password }
    const { callout_issuer_seed: _, callout_xkey_seed: __, ...publicHalves } = old.nats
    const { callout_password, services_password, system_password } = next.nats
    const ofBrokers = { ...publicHalves, callout_password, services_password, system_password }

    // The services take both, and the gateways still sign with the old key.
    await rollOut(secretsOf(next, old))
    expect(traffic.failures).toEqual([])

    // The servers get the new passwords.
    expect(await migrate(next)).toContain(
      'set another password for gateway, catalog, tracking, keys, webhooks',
    )
    for (const member of system.cluster.members) {
      await member.stop()
      await member.start(ofBrokers)
    }
    expect(traffic.failures).toEqual([])

    // The gateways sign with the new key; then nothing takes the old secrets.
    const { gateway, ...others } = secretsOf(next)
    const { principal_private_key: PRINCIPAL_PRIVATE_KEY } = next
    await rollOut({ ...others, gateway: { ...gateway, PRINCIPAL_PRIVATE_KEY } })
    expect(traffic.failures).toEqual([])

    // The next deployment changes nothing, and a service starts after it.
    expect(await migrate(next)).toContain('nothing to do')
    const tracking = replicated.replicas.find(({ name }) => name === 'tracking')
    if (tracking) await replicated.replace(tracking, { ...others.tracking })
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
