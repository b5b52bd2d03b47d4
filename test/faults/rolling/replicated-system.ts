import { createClient, exchangeKey, unwrap } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { perService, type ServiceName } from '@whereabouts/deploy/installation/services'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { startBalancer, type Balancer } from '../../system/balancer.ts'
import { operatorOf } from '../../system/operator.ts'
import type { Organization } from '../../system/organization.ts'
import { startReplica, type Replica, type StackPlace } from '../../system/replicas.ts'
import type { System } from '../../system/system.ts'

const SERVICES = ['keys', 'catalog', 'tracking', 'webhook-dispatcher', 'console', 'gateway'] as const
/** As in a cluster, but shorter: a drain lasts longer than idle connections of the callers. */
const DRAIN = { DRAIN_MS: '1000' }
export const PATIENTLY = { timeout: 60_000, interval: 200 }

export type Environments = Partial<Record<ServiceName, Record<string, string>>>

/** Two replicas of every service, each pair behind a balancer, on the servers of a system that runs no service itself. */
export type ReplicatedSystem = {
  /** Address of the gateways. */
  base: string
  /** The servers, for clients that go through the gateways. */
  place: StackPlace
  replicas: readonly Replica[]
  /**
   * Stops one replica and starts it again with these further variables, by default with the code of this checkout. Resolves
   * when both replicas of each service are ready, with how the old process ended.
   */
  replace(replica: Replica, next?: { env?: Record<string, string>; root?: string }): Promise<string>
  stop(): Promise<void>
}

/** `root`: another checkout whose code the first replicas run. */
export async function startReplicas(
  { stack, receiver }: System,
  { env = {}, root }: { env?: Environments; root?: string } = {},
): Promise<ReplicatedSystem> {
  const caFile = join(stack.dataDir, 'receiver-ca.pem')
  writeFileSync(caFile, receiver.ca)
  const balancers = {} as Record<ServiceName, Balancer>
  for (const name of SERVICES) balancers[name] = await startBalancer()
  const own = {
    ...perService((): Record<string, string> => ({})),
    'webhook-dispatcher': { NODE_EXTRA_CA_CERTS: caFile },
    gateway: {
      UPSTREAM_KEEP_ALIVE_MS: '300',
      CATALOG_URL: balancers.catalog.url,
      TRACKING_URL: balancers.tracking.url,
      KEYS_URL: balancers.keys.url,
      WEBHOOK_DISPATCHER_URL: balancers['webhook-dispatcher'].url,
      CONSOLE_URL: balancers.console.url,
    },
  }
  const environment = (name: ServiceName) => ({ ...DRAIN, ...own[name], ...env[name] })
  /** Resolves when the balancers know that both replicas are ready. */
  const bothReady = () =>
    vi.waitUntil(() => SERVICES.every((name) => balancers[name].readyCount === 2), PATIENTLY)
  const replicas: Replica[] = []
  for (const name of SERVICES)
    for (const _ of [1, 2]) {
      const replica = await startReplica(stack, name, { env: environment(name), ...(root && { root }) })
      replicas.push(replica)
      balancers[name].add(replica)
    }
  await bothReady()
  const base = balancers.gateway.url
  return {
    base,
    place: { ...stack, urls: { ...stack.urls, base } },
    replicas,
    async replace(replica, { env: changed = {}, root: nextRoot } = {}) {
      const { name, control } = replica
      await control.kill('SIGTERM')
      const end = await control.ended()
      replicas[replicas.indexOf(replica)] = await startReplica(stack, name, {
        env: { ...environment(name), ...changed },
        like: replica,
        ...(nextRoot && { root: nextRoot }),
      })
      await bothReady()
      return `${name}: ${end}`
    },
    async stop() {
      await Promise.all(replicas.map(({ control }) => control.stop()))
      await Promise.all(Object.values(balancers).map((balancer) => balancer.close()))
    },
  }
}

/** An integrator's token whose bucket does not become empty under the traffic. `root`: whose code lifts the limit. */
export async function unboundedKey(place: StackPlace, org: Organization, root?: string): Promise<string> {
  const body = { name: 'traffic', scopes: ['assets:read', 'scans:read'] as const }
  const made = await org.admin.POST('/api/v1/orgs/{org_id}/api-keys', {
    params: { path: { org_id: org.id } },
    body: { ...body, scopes: [...body.scopes] },
  })
  const { jti, client_id: clientId, client_secret: clientSecret } = unwrap(made).data
  const limited = await operatorOf(place, root)(['key', 'limit', jti, '--per-minute', '100000'])
  expect(limited.exitCode).toBe(0)
  const anyone = createClient({ baseUrl: place.urls.base })
  return (await exchangeKey(anyone, { clientId, clientSecret })).access_token
}

type Importer = { place: StackPlace; org: Organization }

/** `count` assets with a tag of the same name each, by an import. */
export async function importAssets({ place, org }: Importer, count: number): Promise<string[]> {
  const { base } = place.urls
  const { access_token: token } = await signIn(createClient({ baseUrl: base }), org.login)
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
