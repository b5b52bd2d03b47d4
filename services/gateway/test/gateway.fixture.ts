import type { KeyState, MemberState } from '@whereabouts/contracts/messages/keys-state'
import type { Role } from '@whereabouts/contracts/principal'
import { upstreams } from '@whereabouts/contracts/route'
import { routes } from '@whereabouts/contracts/routes'
import { takeToken, type Rate, type Take } from '@whereabouts/db/buckets/token-bucket'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry, type Registry } from '@whereabouts/service-kit/observe/metrics'
import {
  gatewayVerifier,
  principalVerifier,
  type PrincipalVerifier,
} from '@whereabouts/service-kit/http/principal'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { test as base } from 'vitest'
import { KeyView } from '../src/auth/key-view.ts'
import { tokenVerifier } from '../src/auth/token-verifier.ts'
import { gatewayMetrics } from '../src/metrics.ts'
import { DEFAULT_REFUSED_AGENTS } from '../src/pipeline/web-filter.ts'
import { wire } from '../src/app.ts'
import { rawRequest, type Reply, type Sent } from './raw-request.fixture.ts'
import { startStandIn, type Respond, type StandIn } from './stand-in.fixture.ts'
import { tokenMint, type TokenMint } from './tokens.fixture.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))
export const ORG_ID = 7

const names = [...upstreams, 'console'] as const
type StandIns = Record<(typeof names)[number], StandIn>

/** What gateways talk to: services on sockets, a database, and a mint of tokens. */
export type Surroundings = {
  services: StandIns
  database: ServiceDatabase<unknown>
  mint: TokenMint
  /** States of keys that the keys service returns. */
  keys: Map<string, KeyState>
  /** States of members that it returns, by `<org>/<user>`. */
  members: Map<string, MemberState>
  /** Sessions and token chains that it reports as ended, as `<org>/<chain>`. */
  endedChains: Set<string>
  /** Its responses to other requests. */
  respondFromKeys(respond: Respond): void
  stop(): Promise<void>
}

async function startSurroundings(): Promise<Surroundings> {
  const mint = await tokenMint()
  const started = await Promise.all(names.map(async (name) => [name, await startStandIn()] as const))
  const services = Object.fromEntries(started) as StandIns
  const database = await createServiceDatabase('gateway', MIGRATIONS)
  const keys = new Map<string, KeyState>()
  const members = new Map<string, MemberState>()
  const endedChains = new Set<string>()
  let respond: Respond = () => ({})
  services.keys.respondWith((request, reply) => {
    if (request.url === '/.well-known/jwks.json') return mint.jwks
    const [, states, id] = /^\/internal\/(keys|members|chains)\/(.+)$/.exec(request.url) ?? []
    if (id === undefined) return respond(request, reply)
    if (states === 'chains') return { ended: endedChains.has(id) }
    return (states === 'keys' ? keys : members).get(id) ?? reply.status(404).send({ error: {} })
  })
  const stop = async () => {
    await Promise.all(Object.values(services).map((service) => service.stop()))
    await database.drop()
  }
  const respondFromKeys = (next: Respond) => {
    respond = next
  }
  return { services, database, mint, keys, members, endedChains, respondFromKeys, stop }
}

export type TestGateway = {
  origin: string
  request(path: string, sent?: Sent): Promise<Reply>
  /** A key in the view, and a token for it. */
  keyToken(key?: Partial<KeyState>): Promise<{ jti: string; authorization: string }>
  /** A member, in the view and in the keys service, and a session made from that state of the membership. */
  sessionToken(session?: Partial<SessionOf>): Promise<{ authorization: string }>
  view: KeyView
  /** Sets whether the view counts as current. */
  setCurrent(isCurrent: boolean): void
  /** Verifies like catalog. */
  verifyPrincipal: PrincipalVerifier
  /** Verifies the gateway's own credential like keys. */
  verifyGateway: (token: string) => Promise<boolean>
  registry: Registry
  /** Of clients, as the server sees them. */
  openConnections: () => Promise<number>
  stop(): Promise<void>
}

type SessionOf = { userId: number; role: Role; revision: number }

export type GatewayOptions = {
  /** Addresses in place of those of the stand-ins. */
  upstreams?: Partial<Record<keyof StandIns, string>>
  takeShared?: (bucket: string, rate: Rate) => Promise<Take>
  readTimeoutMs?: number
  writeTimeoutMs?: number
  stallMs?: number
  publicUrl?: string
  trustedProxies?: readonly string[]
  legacySunset?: Date
  securityContact?: string
  maxBodyBytesInFlight?: number
}

/** A gateway on a real socket, wired as in production, without the broker. */
async function startGateway(around: Surroundings, options: GatewayOptions = {}): Promise<TestGateway> {
  const log = createLogger('gateway', 'silent')
  const registry = createRegistry('gateway')
  const metrics = gatewayMetrics(registry)
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const keysUrl = around.services.keys.origin
  const view = new KeyView()
  let current = true
  const verifier = tokenVerifier({ keysUrl, environment: 'production', log })
  const takeShared =
    options.takeShared ?? ((bucket: string, rate: Rate) => takeToken(around.database.pool, bucket, rate))
  const origins = names.map(
    (name) => [name, options.upstreams?.[name] ?? around.services[name].origin] as const,
  )
  const app = wire({
    log,
    registry,
    metrics,
    view,
    isCurrent: () => current,
    verifier,
    signingKey: privateKey,
    takeShared,
    upstreams: Object.fromEntries(origins) as Record<(typeof names)[number], string>,
    refusedAgents: DEFAULT_REFUSED_AGENTS,
    publicUrl: options.publicUrl ?? 'http://whereabouts.example',
    trustedProxies: options.trustedProxies ?? [],
    timeoutsMs: {
      read: options.readTimeoutMs ?? 5_000,
      write: options.writeTimeoutMs ?? 5_000,
      keepAlive: 4_000,
      ...(options.stallMs !== undefined && { stall: options.stallMs }),
    },
    maxBodyBytesInFlight: options.maxBodyBytesInFlight ?? 64 * 2 ** 20,
    maxConnectionsPerAddress: 1_000,
    routes,
    legacySunset: options.legacySunset,
    securityContact: options.securityContact,
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    origin,
    request: (path, sent) => rawRequest(origin, path, sent),
    async keyToken(key) {
      const state = keyStateOf(key)
      view.states.apply(`keys.key.${state.jti}`, state)
      return { jti: state.jti, authorization: await bearer(around.mint, state) }
    },
    async sessionToken({ userId = 1, role = 'admin', revision = 1 } = {}) {
      const state = memberStateOf({ user_id: userId, role, revision })
      around.members.set(`${ORG_ID}/${userId}`, state)
      view.states.apply(`keys.member.${ORG_ID}.${userId}`, state)
      return { authorization: await sessionBearer(around.mint, state) }
    },
    view,
    setCurrent: (isCurrent) => {
      current = isCurrent
    },
    verifyPrincipal: principalVerifier([publicKey], 'catalog'),
    verifyGateway: gatewayVerifier([publicKey], 'keys'),
    registry,
    openConnections: () =>
      new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))),
    stop: () => app.close(),
  }
}

export async function bearer(mint: TokenMint, { jti, org_id, scopes }: KeyState): Promise<string> {
  return `Bearer ${await mint.mint({ typ: 'key', sub: jti, org_id, scopes })}`
}

export async function sessionBearer(
  mint: TokenMint,
  member: MemberState,
  options?: { expiresIn: number },
): Promise<string> {
  const { org_id, user_id, role, revision: member_revision } = member
  const claims = { typ: 'session', sub: String(user_id), org_id, role, member_revision }
  return `Bearer ${await mint.mint(claims, options)}`
}

export function memberStateOf(member: Partial<MemberState> = {}): MemberState {
  return { org_id: ORG_ID, user_id: 1, revision: 1, role: 'admin', deleted_at: null, ...member }
}

export function keyStateOf(key: Partial<KeyState> = {}): KeyState {
  return {
    org_id: ORG_ID,
    id: 1,
    jti: randomUUID(),
    revision: 1,
    name: 'Test key',
    scopes: ['assets:read'],
    expires_at: null,
    revoked_at: null,
    rate_limit_per_minute: null,
    ...key,
  }
}

type Fixtures = {
  around: Surroundings
  /** Of `gateway`, and of those that `startGateway` starts. */
  gatewayOptions: GatewayOptions
  gateway: TestGateway
  /** Headers of an administrator's session. */
  session: { authorization: string }
  /** Starts another gateway, which stops with the test. */
  startGateway: (options?: GatewayOptions, around?: Surroundings) => Promise<TestGateway>
  /** Surroundings of one test, which may break them. */
  ownSurroundings: Surroundings
}

/** One gateway and its surroundings per test file. */
export const test = base.extend<Fixtures>({
  around: [
    async ({}, use) => {
      const around = await startSurroundings()
      await use(around)
      await around.stop()
    },
    { scope: 'file' },
  ],
  gatewayOptions: [{}, { scope: 'file' }],
  gateway: [
    async ({ around, gatewayOptions }, use) => {
      const gateway = await startGateway(around, gatewayOptions)
      await use(gateway)
      await gateway.stop()
    },
    { scope: 'file' },
  ],
  session: [async ({ gateway }, use) => use(await gateway.sessionToken()), { scope: 'file' }],
  startGateway: async ({ around, gatewayOptions }, use) => {
    const started: TestGateway[] = []
    await use(async (options, other = around) => {
      const gateway = await startGateway(other, { ...gatewayOptions, ...options })
      started.push(gateway)
      return gateway
    })
    await Promise.all(started.map((gateway) => gateway.stop()))
  },
  ownSurroundings: async ({}, use) => {
    const own = await startSurroundings()
    await use(own)
    await own.stop()
  },
})
