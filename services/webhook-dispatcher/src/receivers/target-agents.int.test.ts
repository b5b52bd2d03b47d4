import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { startNameServer, type AnswerDns, type NameServer } from '@whereabouts/testing/name-server'
import { describe, expect, test as base } from 'vitest'
import { createPost } from './http-post.ts'
import { publicAddresses } from './public-lookup.ts'
import { brokenHosts, refusedHosts } from '../../test/refused-hosts.fixture.ts'
import { createTargetAgents } from './target-agents.ts'

const never = new AbortController().signal
const UNRESOLVED = 'the host name does not resolve to public addresses'
/** Global unicast that is not assigned, so that a connection to it reaches no host. */
const UNASSIGNED = '2d00::1'
const PUBLIC = '8.8.8.8'

type Listener = { port: number; connections: number }
type TestResolver = { resolver: dns.Resolver; questions: string[] }

const test = base.extend<{
  openListener: Listener
  /** Listens on every address of this machine and counts what gets past the guard. */
  listener: Listener
  /** A resolver that asks a name server of this test. */
  resolverOf: (answer: AnswerDns) => Promise<TestResolver>
  postTo: (host: string, resolver?: dns.Resolver, ports?: number[]) => Promise<string | undefined>
}>({
  openListener: [
    async ({}, use) => {
      const listener = { port: 0, connections: 0 }
      const server = createServer((socket) => {
        listener.connections += 1
        socket.destroy()
      }).listen(0)
      await once(server, 'listening')
      listener.port = (server.address() as AddressInfo).port
      await use(listener)
      server.close()
    },
    { scope: 'file' },
  ],
  listener: async ({ openListener }, use) => {
    openListener.connections = 0
    await use(openListener)
  },
  resolverOf: async ({}, use) => {
    const servers: NameServer[] = []
    await use(async (answer) => {
      const server = await startNameServer(answer)
      servers.push(server)
      const resolver = new dns.Resolver({ timeout: 500, tries: 1 })
      resolver.setServers([server.address])
      return { resolver, questions: server.questions }
    })
    for (const server of servers) server.close()
  },
  postTo: async ({ listener }, use) =>
    use(async (host, resolver, ports = [listener.port]) => {
      const agents = createTargetAgents({ allowPrivateTargets: false, ports, ...(resolver && { resolver }) })
      const url = `https://${host}:${listener.port}/hook`
      const { error } = await createPost(agents, 2_000)(url, {}, Buffer.from('{}'), never)
      await agents.destroy()
      return error
    }),
})

const a = (...addresses: string[]) => addresses.map((data) => ({ type: 'A' as const, data }))
const aaaa = (...addresses: string[]) => addresses.map((data) => ({ type: 'AAAA' as const, data }))
/** Answers every question with these records. */
const always =
  (ipv4: ReturnType<typeof a>, ipv6: ReturnType<typeof aaaa> = []): AnswerDns =>
  (_name, type) =>
    type === 'A' ? ipv4 : ipv6

describe('D11.4 a literal address gets no connection in any spelling', () => {
  test.for(Object.entries(refusedHosts))('%s', async ([, hosts], { listener, postTo }) => {
    const errors = await Promise.all(hosts.map((host) => postTo(host)))
    expect(hosts.filter((_, i) => errors[i] !== 'the target address is not public')).toEqual([])
    expect(listener.connections).toBe(0)
  })

  test('an invalid host', async ({ listener, postTo }) => {
    for (const host of brokenHosts) expect(await postTo(host)).toEqual(expect.any(String))
    expect(listener.connections).toBe(0)
  })

  test('a port that is not listed gets no connection and no lookup', async ({
    listener,
    resolverOf,
    postTo,
  }) => {
    const { resolver, questions } = await resolverOf(always(a(PUBLIC)))
    const refusal = 'the webhook must use port 443 or 8443'
    for (const host of ['receiver.example', PUBLIC])
      expect(await postTo(host, resolver, [443, 8443])).toBe(refusal)
    expect(questions).toEqual([])
    expect(listener.connections).toBe(0)
  })

  test('without the guard, the same listener is reached', async ({ listener }) => {
    const agents = createTargetAgents({ allowPrivateTargets: true })
    const post = createPost(agents, 2_000)
    await post(`https://127.0.0.1:${listener.port}/hook`, {}, Buffer.from('{}'), never)
    expect(listener.connections).toBe(1)
  })
})

describe('D11.4 a name is refused if any of its addresses is not public', () => {
  const answers: Readonly<Record<string, AnswerDns>> = {
    'one private': always(a('127.0.0.1')),
    'several, the first private': always(a('127.0.0.1', PUBLIC)),
    'several, the last private': always(a(PUBLIC, '1.1.1.1', '127.0.0.1')),
    'a public IPv4 and a private IPv6': always(a(PUBLIC), aaaa('::1')),
    'a public IPv6 and a private IPv4': always(a('127.0.0.1'), aaaa(UNASSIGNED)),
    'an IPv4-mapped IPv6': always([], aaaa('::ffff:7f00:1')),
    'a NAT64 address': always([], aaaa('64:ff9b::7f00:1')),
    'the metadata of the cloud': always(a('169.254.169.254')),
    'this network': always(a('0.0.0.0')),
    'none at all': always([]),
  }
  test.for(Object.entries(answers))('%s', async ([, answer], { listener, resolverOf, postTo }) => {
    const { resolver } = await resolverOf(answer)
    expect(await postTo('receiver.example', resolver)).toBe(UNRESOLVED)
    expect(listener.connections).toBe(0)
  })

  test('a refused name and a missing name have the same error, so that names of our network cannot be listed', async ({
    resolverOf,
    postTo,
  }) => {
    const { resolver } = await resolverOf((name) => (name === 'redis.internal' ? a('10.0.0.5') : []))
    const [there, missing] = [
      await postTo('redis.internal', resolver),
      await postTo('nobody.internal', resolver),
    ]
    expect(there).toBe(missing)
  })

  test('a name is looked up unchanged, without a search domain or a hosts file', async ({
    listener,
    resolverOf,
    postTo,
  }) => {
    const { resolver, questions } = await resolverOf(always([]))
    await postTo('localhost', resolver)
    await postTo('redis', resolver)
    expect(questions.toSorted()).toEqual(['A localhost', 'A redis', 'AAAA localhost', 'AAAA redis'])
    expect(listener.connections).toBe(0)
  })

  test('if one family has no answer, the other is used', async ({ resolverOf }) => {
    const { resolver } = await resolverOf((_name, type) => (type === 'A' ? a(PUBLIC) : undefined))
    expect(await publicAddresses(resolver, 'receiver.example')).toEqual([{ address: PUBLIC, family: 4 }])
  })
})

test('D11.4 a rebound name has no effect, because the connection uses the checked addresses', async ({
  listener,
  resolverOf,
  postTo,
}) => {
  let questionsSoFar = 0
  // The first lookup gets a public address, the next one this machine.
  const { resolver, questions } = await resolverOf((_name, type) => {
    questionsSoFar += 1
    if (questionsSoFar <= 2) return type === 'A' ? [] : aaaa(UNASSIGNED)
    return type === 'A' ? a('127.0.0.1') : []
  })
  const first = await postTo('rebound.example', resolver)
  expect(first).not.toBe(UNRESOLVED) // it passed the check, and its address reached no host
  expect(questions).toHaveLength(2)
  expect(await postTo('rebound.example', resolver)).toBe(UNRESOLVED)
  expect(listener.connections).toBe(0)
})

test('D11.6 name servers that never answer do not delay the lookups of other names', async ({
  resolverOf,
}) => {
  const { resolver } = await resolverOf((name, type) => {
    if (name.startsWith('hangs')) return undefined
    return type === 'A' ? a(PUBLIC) : []
  })
  let waiting = 0
  const hanging = Array.from({ length: 50 }, async (_, i) => {
    waiting += 1
    await publicAddresses(resolver, `hangs-${i}.example`).catch(() => {})
    waiting -= 1
  })
  expect(await publicAddresses(resolver, 'well.example')).toEqual([{ address: PUBLIC, family: 4 }])
  expect(waiting).toBe(50)
  await Promise.all(hanging)
})
