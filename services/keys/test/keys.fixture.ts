import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { ApiKeyCreate } from '@whereabouts/contracts/resources/keys/api-keys'
import type { Role } from '@whereabouts/contracts/principal'
import type { Session } from '@whereabouts/contracts/resources/keys/tokens'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import type { SharedBuckets } from '@whereabouts/db/buckets/shared-buckets'
import { testCallers, type Caller } from '@whereabouts/testing/caller'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import type { LightMyRequestResponse } from 'fastify'
import { test as base } from 'vitest'
import { createAttempts, type Attempts } from '../src/attempts/attempts.ts'
import type { KnownDevices } from '../src/attempts/known-devices.ts'
import { createWaitingRoom } from '../src/attempts/waiting-room.ts'
import type { Mails } from '../src/people/mail/mails.ts'
import type { SecondFactors } from '../src/people/second-factor/second-factors.ts'
import type { KeysDatabase, Tenants } from '../src/db.ts'
import type { SigningKeys } from '../src/credentials/tokens/signing-keys.ts'
import type { SignOn } from '../src/people/single-sign-on/single-sign-on.handlers.ts'
import { wire } from '../src/app.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url))

/** Refills so slowly that no token returns during a test. */
export const ADDRESS_RATE = { capacity: 20, secondsPerToken: 60 }

/** What other services answer to `GET /limits`. */
export const ELSEWHERE = [
  { name: 'assets', limit: 1_000, used: 250 },
  { name: 'history_days', limit: 400, used: 12 },
]

export type Org = { session: Session; orgId: number; userId: number; email: string; password: string }
export type Key = { id: number; jti: string; client_id: string; client_secret: string }
type Sent = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  caller?: Caller
  body?: unknown
  headers?: Record<string, string>
  /** Address of the client; a new one by default. */
  address?: string
}

/** The service with its own database, and builders with defaults. */
export type Keys = {
  database: ServiceDatabase<KeysDatabase>
  /** The database as requests see it. */
  tenants: Tenants
  signingKeys: SigningKeys
  secret: Buffer
  buckets: SharedBuckets
  devices: KnownDevices
  secondFactors: SecondFactors
  attempts: Pick<Attempts, 'issue'>
  mails: Mails
  /** Moves the clock of the service, and returns its time in milliseconds since 1970. That of the database stays. */
  passTime(seconds: number): number
  /** Number of calls of `onChange`. */
  changes: () => number
  send: (path: string, sent?: Sent) => Promise<LightMyRequestResponse>
  /** Another replica of the service on the same database; returns its `send`. */
  replica(): Keys['send']
  post(path: string, body: unknown, sent?: Sent): Promise<LightMyRequestResponse>
  signUp(): Promise<Org>
  /** Adds a user to the organization by invitation. */
  join(org: Org, role?: Role, email?: string): Promise<Org>
  /** Invites as the organization's administrator and returns the token. */
  invite(org: Org, email: string, role?: Role): Promise<string>
  /** Caller: a session of an administrator of the organization. */
  admin(org: Org): Caller
  /** Caller: a session with the role `member`. */
  member(org: Org): Caller
  createKey(org: Org, key?: Partial<ApiKeyCreate>): Promise<Key>
  exchange(key: Key, sent?: Sent): Promise<LightMyRequestResponse>
  /** Sends a request below /internal as a gateway does. */
  ask(path: string): Promise<LightMyRequestResponse>
}

const admin: Keys['admin'] = ({ orgId, userId }) => ({ orgId, userId, kind: 'session', role: 'admin' })

const member: Keys['member'] = (org) => ({ ...admin(org), role: 'member' })

async function startKeys(
  logLevel: string,
  consoleUrl: string | undefined,
  signOn: SignOn | undefined,
): Promise<Keys & { stop(): Promise<void> }> {
  const database = await createServiceDatabase<KeysDatabase>('keys', MIGRATIONS)
  const { db } = database.worker
  const tenants = openTenantDatabase<KeysDatabase>(database.url, {
    max: 10,
    name: 'keys',
    prepared: false,
  })
  const callers = testCallers('keys')
  const secret = randomBytes(32)
  let committed = 0
  let ahead = 0
  const wired = () =>
    wire({
      tenants,
      db,
      bucketDatabase: database.pool,
      signingKeySecret: secret,
      log: createLogger('keys', logLevel),
      registry: createRegistry('keys'),
      verify: callers.verify,
      verifyGateway: (token) => callers.verifyGateway(token),
      isCredentialOptional: false,
      environment: 'production',
      consoleUrl,
      signOn,
      addressRate: ADDRESS_RATE,
      now: () => Date.now() + ahead,
      usageElsewhere: async () => ELSEWHERE,
      onChange: () => {
        committed += 1
      },
    })
  const { app, signingKeys, buckets, devices, mails, secondFactors } = wired()
  const apps = [app]

  let clients = 0
  const newAddress = () => `2001:db8:1:${(clients += 1).toString(16)}::1`
  const sendTo =
    (to: typeof app): Keys['send'] =>
    async (path, { method = 'GET', caller, body, headers, address } = {}) => {
      const principal = caller ? await callers.headersFor(caller) : {}
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const from = { 'x-forwarded-for': address ?? newAddress() }
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      return to.inject({
        method,
        url: path,
        headers: { ...principal, ...type, ...from, ...headers },
        ...(payload !== undefined && { payload }),
      })
    }
  const send = sendTo(app)
  const replica: Keys['replica'] = () => {
    const another = wired().app
    apps.push(another)
    return sendTo(another)
  }
  const post: Keys['post'] = (path, body, sent) => send(path, { method: 'POST', body, ...sent })

  const signUp: Keys['signUp'] = async () => {
    const [email, password] = [`ada-${randomUUID()}@example.com`, `correct horse ${randomUUID()}`]
    const response = await post('/api/v1/auth/signup', { org_name: 'Acme', name: 'Ada', email, password })
    if (response.statusCode !== 201) throw new Error(response.body)
    const session = response.json<{ data: Session }>().data
    return { session, orgId: session.org.id, userId: session.user.id, email, password }
  }
  const invite: Keys['invite'] = async (org, email, role = 'member') => {
    const path = `/api/v1/orgs/${org.orgId}/invitations`
    const response = await post(path, { email, role }, { caller: admin(org) })
    if (response.statusCode !== 201) throw new Error(response.body)
    return response.json<{ data: { token: string } }>().data.token
  }
  const join: Keys['join'] = async (org, role, email = `ben-${randomUUID()}@example.com`) => {
    const [token, password] = [await invite(org, email, role), `correct horse ${randomUUID()}`]
    const response = await post('/api/v1/auth/accept-invitation', { token, name: 'Ben', password })
    if (response.statusCode !== 200) throw new Error(response.body)
    const session = response.json<{ data: Session }>().data
    return { session, orgId: org.orgId, userId: session.user.id, email, password }
  }
  const createKey: Keys['createKey'] = async (org, key = {}) => {
    const body = { name: 'Dock', scopes: ['assets:read'], ...key }
    const response = await post(`/api/v1/orgs/${org.orgId}/api-keys`, body, { caller: admin(org) })
    if (response.statusCode !== 201) throw new Error(response.body)
    return response.json<{ data: Key }>().data
  }
  const exchange: Keys['exchange'] = ({ client_id, client_secret }, sent) =>
    post('/api/v1/oauth/token', { grant_type: 'client_credentials', client_id, client_secret }, sent)

  const ask: Keys['ask'] = async (path) => send(path, { headers: await callers.gatewayHeaders() })

  const stop = async () => {
    await Promise.all(apps.map((running) => running.close()))
    await tenants.close()
    await database.drop()
  }
  const changes = () => committed
  const passTime: Keys['passTime'] = (seconds) => {
    ahead += seconds * 1_000
    return Date.now() + ahead
  }
  const people = { signUp, join, invite, admin, member }
  const attempts = createAttempts({
    buckets,
    addressRate: ADDRESS_RATE,
    room: createWaitingRoom(),
    onRefusal: () => undefined,
  })
  const shared = {
    mails,
    database,
    tenants,
    signingKeys,
    secret,
    buckets,
    devices,
    secondFactors,
    attempts,
    passTime,
    changes,
    send,
    replica,
    post,
  }
  return { ...shared, ...people, createKey, exchange, ask, stop }
}

/** One service and one database per test file. Each test uses its own organizations. */
export const test = base.extend<{
  logLevel: string
  consoleUrl: string | undefined
  signOn: SignOn | undefined
  keys: Keys
}>({
  logLevel: ['error', { scope: 'file' }],
  /** Undefined: no mail is sent. */
  consoleUrl: [undefined, { scope: 'file' }],
  /** Undefined: no single sign-on. */
  signOn: [undefined, { scope: 'file' }],
  keys: [
    async ({ logLevel, consoleUrl, signOn }, use) => {
      const keys = await startKeys(logLevel, consoleUrl, signOn)
      await use(keys)
      await keys.stop()
    },
    { scope: 'file' },
  ],
})
