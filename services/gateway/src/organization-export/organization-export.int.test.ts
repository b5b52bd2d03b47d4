import { unzipped } from '@whereabouts/testing/unzipped'
import { randomBytes } from 'node:crypto'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import { memberStateOf, ORG_ID, sessionBearer, test as base } from '../../test/gateway.fixture.ts'
import type { Respond } from '../../test/stand-in.fixture.ts'

const PATH = `/api/v1/orgs/${ORG_ID}/export`
const HASH = 'a'.repeat(64)
const AT = '2026-11-21T10:00:00.000Z'
const ndjson = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** Answers of the services, by path. A list has what is between `offset` and `limit`. */
const LISTS: Record<string, object[]> = {
  [`/api/v1/orgs/${ORG_ID}/members`]: Array.from({ length: 450 }, (_, id) => ({ id, role: 'member' })),
  [`/api/v1/orgs/${ORG_ID}/invitations`]: [{ id: 1 }],
  [`/api/v1/orgs/${ORG_ID}/api-keys`]: [],
  '/api/v1/readers': [{ id: 5, reader_key: 'gate' }, { id: null, reader_key: 'found' }],
  '/api/v1/readers/5/scan-points': [{ id: 50, antenna: 1 }],
  '/api/v1/unknown-tags': [{ id: 6 }],
  '/api/v1/webhook-endpoints': [{ id: 7, url: 'https://receiver.example/', secret: 'whsec_…9e77' }],
} // oxfmt-ignore
const PLACES = { 'floor-1': HASH, 'floor-2': HASH, 'floor-3': undefined }
const ONES: Record<string, unknown> = {
  [`/api/v1/orgs/${ORG_ID}/placement`]: { data: { margin_db: 6 } },
  '/api/v1/readers/5': { data: { id: 5, reader_key: 'gate', mapping: { reads: '/' } } },
  '/api/v1/floor-plans': {
    data: Object.entries(PLACES).map(([place, hash]) => ({
      place,
      image: hash === undefined ? null : { hash },
    })),
  },
}
const AUDIT = Array.from({ length: 3 }, (_, seq) => ({ id: `row-${seq}` }))

type Streams = Record<'assets' | 'locations' | 'history', () => Readable>
type Answer = { incoming: IncomingMessage; outgoing: ClientRequest }

const test = base.extend<{
  streams: Streams
  begin: (headers?: Record<string, string>, method?: string) => Promise<Answer>
}>({
  streams: [
    async ({ around }, use) => {
      const streams: Streams = {
        assets: () => Readable.from([ndjson({ id: 1 }, { id: 2, deleted_at: AT })]),
        locations: () => Readable.from([ndjson({ id: 3 })]),
        history: () => Readable.from([ndjson({ asset_id: 1 }), ndjson({ asset_id: 2 })]),
      }
      const respond: Respond = ({ url }, reply) => {
        const { pathname, searchParams } = new URL(url, 'http://service')
        if (pathname === PATH)
          return reply
            .type('application/zip')
            .header('content-disposition', 'attachment; filename="acme-2026-11-21.zip"')
            .send(Readable.from([ndjson({ id: ORG_ID, name: 'Acme' })]))
        const [, name] = /^\/api\/v1\/export-rows\/(\w+)$/.exec(pathname) ?? []
        if (name !== undefined) return reply.send(streams[name as keyof Streams]())
        if (pathname === `/api/v1/floor-plans/images/${HASH}`) return reply.send(Buffer.from('picture'))
        if (pathname.endsWith('/audit')) {
          const seq = Number(searchParams.get('after')?.replace('oldest', '0'))
          return {
            data: AUDIT.slice(seq, seq + 1),
            cursor: String(seq + 1),
            has_more: seq < AUDIT.length - 1,
          }
        }
        const from = Number(searchParams.get('offset'))
        const list = LISTS[pathname]
        return list ? { data: list.slice(from, from + Number(searchParams.get('limit'))) } : ONES[pathname]
      }
      around.respondFromKeys(respond)
      for (const name of ['catalog', 'tracking', 'webhook-dispatcher'] as const)
        around.services[name].respondWith(respond)
      await use(streams)
    },
    { auto: true },
  ],
  begin: async ({ gateway, session }, use) => {
    const open = new Set<ClientRequest>()
    await use((headers = session, method = 'GET') => {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const sent = { 'user-agent': 'exports/1', 'if-none-match': '"x"', range: 'bytes=0-1', ...headers }
      const outgoing = request(`${gateway.origin}${PATH}`, { method, headers: sent, agent: false })
      open.add(outgoing)
      outgoing.on('error', reject).on('response', (incoming) => resolve({ incoming, outgoing }))
      outgoing.end()
      return promise
    })
    for (const outgoing of open) outgoing.destroy()
  },
})

const filesOf = async ({ incoming }: Answer) => unzipped(await buffer(incoming))
const detailOf = async ({ incoming }: Answer) =>
  (JSON.parse((await buffer(incoming)).toString()) as { error: { status: number; detail: string } }).error
/** The next export begins when the gateway has noticed the end of the one before. */
const untilOver = async (begin: () => Promise<Answer>) =>
  expect
    .poll(async () => {
      const { incoming, outgoing } = await begin()
      outgoing.destroy()
      return incoming.statusCode
    })
    .toBe(200)

/** A stream that sends a line and then waits for its end. */
function held() {
  const source = new Readable({ read: () => undefined })
  source.push(ndjson({ id: 1 }))
  return source
}

test('D15.3 an export has all pages of all lists, in the order that its README names', async ({
  begin,
  around,
}) => {
  const catalogBefore = around.services.catalog.seen.length
  const answer = await begin()
  expect(answer.incoming.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="acme-2026-11-21.zip"',
    'cache-control': 'private, no-store',
  })
  const files = await filesOf(answer)
  const rows = (name: string) => {
    const lines = files.get(`${name}.ndjson`)?.split('\n') ?? []
    expect(lines.pop(), name).toBe('')
    return lines.map((line): unknown => JSON.parse(line))
  }
  expect([...files.keys()].map((name) => name.replace('.ndjson', ''))).toEqual([
    'README.txt', 'organization', 'members', 'invitations', 'api-keys', 'audit', 'placement', 'locations', 'assets',
    'floor-plans', 'readers', 'scan-points', 'unknown-tags', 'webhook-endpoints', 'history', `floor-plans/${HASH}`,
  ]) // oxfmt-ignore
  const readme = files.get('README.txt') ?? ''
  expect(readme).toMatch(/^Export of Acme\nBegun 20\d\d-/)
  for (const name of files.keys())
    if (name.endsWith('.ndjson')) expect(readme.split('\n').filter((line) => line === name)).toEqual([name])
  expect(rows('organization')).toEqual([{ id: ORG_ID, name: 'Acme' }])
  expect(rows('members')).toEqual(LISTS[`/api/v1/orgs/${ORG_ID}/members`])
  expect(rows('api-keys')).toEqual([])
  expect(rows('audit')).toEqual(AUDIT)
  expect(rows('placement')).toEqual([{ margin_db: 6 }])
  expect(rows('assets')).toEqual([{ id: 1 }, { id: 2, deleted_at: AT }])
  expect(rows('readers')).toEqual([{ id: 5, reader_key: 'gate', mapping: { reads: '/' } }, { id: null, reader_key: 'found' }]) // oxfmt-ignore
  expect(rows('scan-points')).toEqual([{ reader_id: 5, id: 50, antenna: 1 }])
  expect(rows('webhook-endpoints')).toEqual([{ id: 7, url: 'https://receiver.example/' }])
  expect(rows('history')).toEqual([{ asset_id: 1 }, { asset_id: 2 }])
  expect(files.get(`floor-plans/${HASH}`)).toBe('picture')
  const reads = around.services.catalog.seen.slice(catalogBefore)
  expect(reads.length).toBeGreaterThan(3)
  for (const { headers } of reads) expect(headers).not.toMatchObject({ range: expect.anything() })
})

test('HEAD has the headers and makes no archive', async ({ begin, around }) => {
  const before = around.services.tracking.seen.length
  const { incoming } = await begin(undefined, 'HEAD')
  expect(incoming.statusCode).toBe(200)
  expect((await buffer(incoming)).length).toBe(0)
  expect(around.services.tracking.seen.length).toBe(before)
  await untilOver(begin)
})

test('an organization has one export at a time, and the next when its client has left, which ends the reads', async ({
  streams,
  begin,
}) => {
  await untilOver(begin)
  for (const _again of [1, 2, 3]) {
    const source = held()
    const closed = new Promise((resolve) => source.once('close', resolve))
    streams.assets = () => source
    const first = await begin()
    first.incoming.on('error', () => undefined).resume()
    await expect.poll(() => source.readableFlowing).not.toBeNull()
    const { incoming } = await begin()
    expect(incoming.statusCode).toBe(429)
    expect(Number(incoming.headers['retry-after'])).toBeGreaterThan(0)
    expect((await buffer(incoming)).toString()).toContain('An export of this organization is running')
    first.outgoing.destroy()
    await closed
    streams.assets = () => Readable.from([])
    await untilOver(begin)
  }
})

test('a service that fails breaks the connection, and what arrived is not a ZIP', async ({
  streams,
  begin,
  gateway,
}) => {
  await untilOver(begin)
  const failures = async () =>
    (await gateway.registry.getSingleMetric('gateway_upstream_failures_total')?.get())?.values.find(
      ({ labels }) => labels['upstream'] === 'tracking' && labels['reason'] === 'invalid_response',
    )?.value ?? 0
  for (const again of [1, 2, 3]) {
    const before = await failures()
    streams.history = () => {
      const source = held()
      source.once('resume', () => setImmediate(() => source.destroy(new Error(`failure ${again}`))))
      return source
    }
    const { incoming } = await begin()
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    await expect(
      new Promise((resolve, reject) => incoming.on('end', resolve).on('error', reject)),
    ).rejects.toThrow()
    await expect(unzipped(Buffer.concat(chunks))).rejects.toThrow()
    expect(await failures()).toBe(before + 1)
    streams.history = () => Readable.from([])
    await untilOver(begin)
  }
})

test('goes on when the access token expires, and breaks off when the membership ends', async ({
  streams,
  begin,
  around,
  gateway,
}) => {
  await untilOver(begin)
  for (const [index, isRemoved] of [false, true, false].entries()) {
    const member = memberStateOf({ user_id: 40 + index })
    around.members.set(`${ORG_ID}/${member.user_id}`, member)
    gateway.view.states.apply(`keys.member.${ORG_ID}.${member.user_id}`, member)
    const source = held()
    streams.assets = () => source
    const authorization = await sessionBearer(around.mint, member, { expiresIn: 2 })
    const { incoming } = await begin({ authorization })
    expect(incoming.statusCode).toBe(200)
    const outcome = buffer(incoming).then(unzipped).then((files) => files.size, () => 'broken off') // oxfmt-ignore
    const refused = async () =>
      (await gateway.request('/api/v1/assets', { headers: { authorization, 'user-agent': 'exports/1' } }))
        .status
    await expect.poll(refused, { timeout: 10_000 }).toBe(401)
    if (isRemoved)
      gateway.view.states.apply(`keys.member.${ORG_ID}.${member.user_id}`, {
        ...member,
        revision: 2,
        deleted_at: AT,
      })
    source.push(null)
    expect(await outcome).toBe(isRemoved ? 'broken off' : 16)
    streams.assets = () => Readable.from([])
    await untilOver(begin)
  }
}, 60_000)

test('a slow client slows the services down, so 50 MB of rows take little memory', async ({
  streams,
  begin,
}) => {
  await untilOver(begin)
  const line = () => ndjson({ text: randomBytes(16_384).toString('hex') })
  const lines = Math.ceil(50_000_000 / line().length)
  let sent = 0
  streams.assets = () =>
    Readable.from(
      (function* () {
        for (let row = 0; row < lines; row += 1) {
          sent += 1
          yield line()
        }
      })(),
      { objectMode: false },
    )
  const atFirst = inUse()
  const { incoming } = await begin()
  incoming.pause()
  let [before, still] = [-1, 0]
  await expect
    .poll(
      () => {
        still = sent > 0 && sent === before ? still + 1 : 0
        before = sent
        return still
      },
      { timeout: 20_000, interval: 100 },
    )
    .toBe(5)
  // The rest waits in the service. Buffers of sockets, which are not ours, hold some of it too.
  expect(sent).toBeLessThan(lines)
  // What a collection found is freed in another thread.
  await expect.poll(() => inUse() - atFirst, { timeout: 10_000 }).toBeLessThan(16 * 2 ** 20)
  const files = await unzipped(await buffer(incoming))
  expect(files.get('assets.ndjson')?.split('\n')).toHaveLength(lines + 1)
  expect(sent).toBe(lines)
}, 60_000)

test.for(['member', 'viewer'] as const)(
  'D15.3 a %s gets 403, and nothing is read',
  async (role, { begin, gateway, around }) => {
    const before = around.services.keys.seen.length
    const answer = await begin(await gateway.sessionToken({ userId: 60, role }))
    expect(answer.incoming.statusCode).toBe(403)
    expect(await detailOf(answer)).toMatchObject({ status: 403 })
    expect(around.services.keys.seen.slice(before).filter(({ url }) => url === PATH)).toEqual([])
  },
)

/** Bytes in the heap and in buffers, without garbage. */
function inUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
