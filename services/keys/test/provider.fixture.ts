import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type AdapterFactory, type AdapterPayload } from 'oidc-provider'
import type { GroupRole } from '../src/people/single-sign-on/roles.rules.ts'
import { createProvider } from '../src/people/single-sign-on/provider.ts'
import type { SignOn } from '../src/people/single-sign-on/single-sign-on.handlers.ts'
import { test as base, type Keys } from './keys.fixture.ts'

export const PUBLIC_URL = 'https://whereabouts.example'
const CALLBACK = `${PUBLIC_URL}/api/v1/auth/oidc/callback`
const CLIENT = { client_id: 'whereabouts', client_secret: 'a secret of the provider' }

type Claims = Record<string, unknown>

/** A real OpenID Connect provider on loopback. */
export type TestProvider = {
  signOn: SignOn
  /** Tests add their groups. */
  roles: GroupRole[]
  /** A person with these claims; returns the subject. Called again with it, the person has other claims. */
  person: (claims: Claims, subject?: string) => string
  /** Signs the person in at the address, and returns where the browser is sent back to. */
  signIn: (address: string, subject: string) => Promise<URL>
  /** From now on the provider signs with another key, and publishes that one alone. */
  rotateKeys: () => void
  /** `silent`: takes connections and never answers. `broken`: answers 500. */
  behave: (as: 'well' | 'silent' | 'broken') => void
}

async function startProvider(options: { groupsClaim: string; isRequired: boolean }) {
  const people = new Map<string, Claims>()
  const adapter = memory()
  const roles: GroupRole[] = []
  let behaviour: 'well' | 'silent' | 'broken' = 'well'
  const server = createServer((request, response) => {
    if (behaviour === 'silent') return
    if (behaviour === 'broken') response.writeHead(500).end()
    else void answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let provider = providerWith(issuer, people, adapter)

  async function answer(request: IncomingMessage, response: ServerResponse) {
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response)
    const accountId = String(request.headers['x-subject'])
    const result =
      accountId === 'nobody' ? { error: 'access_denied' } : { login: { accountId, remember: false } }
    return provider.interactionFinished(request, response, result)
  }

  const tested: TestProvider = {
    roles,
    signOn: {
      provider: createProvider({
        issuer,
        clientId: CLIENT.client_id,
        clientSecret: CLIENT.client_secret,
        groupsClaim: options.groupsClaim,
        callbackUrl: CALLBACK,
        now: Date.now,
        timeoutMs: 2_000,
      }),
      roles,
      isRequired: options.isRequired,
      publicUrl: PUBLIC_URL,
    },
    person(claims, subject = randomUUID()) {
      people.set(subject, claims)
      return subject
    },
    async signIn(address, subject) {
      const cookies = new Map<string, string>()
      let at = new URL(address)
      while (!at.href.startsWith(CALLBACK)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const headers = { cookie, 'x-subject': subject }
        const response = await fetch(at, { redirect: 'manual', headers })
        const to = response.headers.get('location')
        if (to === null) throw new Error(`${at.href}: ${response.status} ${await response.text()}`)
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          cookies.set(name, value)
        }
        at = new URL(to, at)
      }
      return at
    },
    rotateKeys() {
      provider = providerWith(issuer, people, adapter)
    },
    behave(as) {
      behaviour = as
    },
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { ...tested, stop }
}

/** Outlives a change of keys, unlike the one of the library. */
function memory(): AdapterFactory {
  const stored = new Map<string, AdapterPayload>()
  return (model) => {
    const nameOf = (id: string) => `${model} ${id}`
    return {
      async upsert(id, payload) {
        stored.set(nameOf(id), payload)
      },
      find: async (id) => stored.get(nameOf(id)),
      findByUid: async (uid) => [...stored.values()].find((payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id) {
        Object.assign(stored.get(nameOf(id)) ?? {}, { consumed: Math.floor(Date.now() / 1_000) })
      },
      async destroy(id) {
        stored.delete(nameOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [name, payload] of stored) if (payload.grantId === grantId) stored.delete(name)
      },
    }
  }
}

const MINUTES = 600

function providerWith(
  issuer: string,
  people: ReadonlyMap<string, Claims>,
  adapter: AdapterFactory,
): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }
  return new Provider(issuer, {
    adapter,
    ttl: { AccessToken: MINUTES, Grant: MINUTES, IdToken: MINUTES, Interaction: MINUTES, Session: MINUTES },
    clients: [{ ...CLIENT, redirect_uris: [CALLBACK], grant_types: ['authorization_code'] }],
    jwks: { keys: [key] },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups', 'realm_access'],
    },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc
      const grant = new oidc.provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
}

export type Browser = { cookie: string }

/** Goes to the provider as a new browser. */
export async function start(send: Keys['send']): Promise<Browser & { address: string }> {
  const response = await send('/api/v1/auth/oidc/start')
  if (response.statusCode !== 302) throw new Error(response.body)
  const [cookie = ''] = String(response.headers['set-cookie']).split(';')
  return { cookie, address: String(response.headers.location) }
}

/** Comes back with the address that the provider sent the browser to. Returns the fields of the sign-in screen's fragment. */
export async function comeBack(
  send: Keys['send'],
  to: URL,
  { cookie }: Browser,
): Promise<Record<string, string>> {
  const response = await send(`${to.pathname}${to.search}`, { headers: { cookie } })
  if (response.statusCode !== 302 && response.statusCode !== 403) throw new Error(response.body)
  const { location, refresh } = response.headers
  const screen = new URL(location ?? String(refresh).replace('0; url=', ''))
  if (`${screen.origin}${screen.pathname}` !== `${PUBLIC_URL}/sign-in`) throw new Error(screen.href)
  return Object.fromEntries(new URLSearchParams(screen.hash.slice(1)))
}

/** A whole sign-on up to the sign-in screen. */
export async function signOnAs(
  { keys, provider }: { keys: Keys; provider: TestProvider },
  subject: string,
): Promise<Record<string, string> & { cookie: string }> {
  const browser = await start(keys.send)
  const fields = await comeBack(keys.send, await provider.signIn(browser.address, subject), browser)
  return { ...fields, cookie: browser.cookie }
}

export const test = base.extend<{
  groupsClaim: string
  isRequired: boolean
  provider: TestProvider
  signOn: SignOn | undefined
}>({
  groupsClaim: ['groups', { scope: 'file' }],
  isRequired: [false, { scope: 'file' }],
  provider: [
    async ({ groupsClaim, isRequired }, use) => {
      const provider = await startProvider({ groupsClaim, isRequired })
      await use(provider)
      await provider.stop()
    },
    { scope: 'file' },
  ],
  signOn: [async ({ provider }, use) => use(provider.signOn), { scope: 'file' }],
})
