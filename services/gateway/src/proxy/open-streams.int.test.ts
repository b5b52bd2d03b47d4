import { EVENT_STREAM_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { openEvents, type EventStream } from '@whereabouts/testing/event-stream'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect } from 'vitest'
import {
  memberStateOf,
  ORG_ID,
  sessionBearer,
  test as base,
  type GatewayOptions,
  type TestGateway,
} from '../../test/gateway.fixture.ts'
import { listen as listenOn } from '../../test/listen.fixture.ts'

const PATIENTLY = { timeout: 10_000 }
const LIVE = '/api/v1/movements/live'
const EVENT = 'id: 1\nevent: asset.moved\ndata: {}\n\n'

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse }

/** Endless responses, on their way from a service to a client. */
const test = base.extend<{
  tracking: { origin: string; exchanges: Exchange[] }
  gatewayOptions: GatewayOptions
  /** Those of one test. */
  open: Exchange[]
}>({
  tracking: [
    async ({}, use) => {
      const exchanges: Exchange[] = []
      const service = createServer((incoming, outgoing) => {
        if (!incoming.url?.startsWith(LIVE))
          return outgoing.setHeader('content-type', 'application/json').end('{}')
        exchanges.push({ incoming, outgoing })
        outgoing.writeHead(200, { 'content-type': EVENT_STREAM_MEDIA_TYPE, 'cache-control': 'no-store' })
        if (incoming.method === 'HEAD') return outgoing.end()
        return outgoing.write(EVENT)
      })
      await use({ origin: await listenOn(service), exchanges })
      service.close()
    },
    { scope: 'file' },
  ],
  gatewayOptions: [
    async ({ tracking }, use) => use({ upstreams: { tracking: tracking.origin }, readTimeoutMs: 200 }),
    { scope: 'file' },
  ],
  open: async ({ tracking }, use) => {
    tracking.exchanges.length = 0
    await use(tracking.exchanges)
  },
})

async function listen(at: TestGateway, headers: Record<string, string>): Promise<EventStream> {
  const stream = await openEvents(`${at.origin}${LIVE}`, { 'user-agent': 'live/1', ...headers })
  if (stream.status === 200) await stream.next(1)
  return stream
}

/** Asserts that the first stream has ended at the service, too. */
const isGone = (open: readonly Exchange[]) =>
  expect.poll(() => open[0]?.outgoing.destroyed, PATIENTLY).toBe(true)

describe('D10 a stream through the gateway', () => {
  test('arrives event by event, also long after the read timeout', async ({ gateway, session, open }) => {
    const stream = await listen(gateway, { ...session, 'last-event-id': '7-abc' })
    expect(open[0]?.incoming.headers).toMatchObject({ 'last-event-id': '7-abc' })
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const { promise: later, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 500)
    await later
    open[0]?.outgoing.write(EVENT)
    await stream.next(2)
    stream.close()
    await isGone(open)
  })

  test('leaves connections to others: with 300 streams the service is reachable', async ({ gateway, session, open }) => {
    const streams = await Promise.all(Array.from({ length: 300 }, () => listen(gateway, session)))
    const { authorization } = await gateway.keyToken({ scopes: ['scans:read'] })
    expect((await gateway.request('/api/v1/locations/current', { headers: { authorization } })).status).toBe(200)
    for (const stream of streams) stream.close()
    await expect.poll(() => open.every(({ outgoing }) => outgoing.destroyed), PATIENTLY).toBe(true)
  }) // oxfmt-ignore

  test('breaks off when its service does, so that the client reconnects', async ({ gateway, open }) => {
    const stream = await listen(gateway, await gateway.sessionToken())
    open[0]?.outgoing.destroy()
    expect(await stream.ended).toBe('broken')
  })

  test('ends when its service ends it', async ({ gateway, open }) => {
    const stream = await listen(gateway, await gateway.sessionToken())
    open[0]?.outgoing.end()
    expect(await stream.ended).toBe('complete')
  })

  test('HEAD has its headers', async ({ gateway }) => {
    const answer = await fetch(`${gateway.origin}${LIVE}`, {
      method: 'HEAD',
      headers: { 'user-agent': 'live/1', ...(await gateway.sessionToken()) },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  })
})

describe('D9.3 a stream ends with', () => {
  test('its token, even if the service continues', async ({ around, gateway, open }) => {
    const member = memberStateOf({ user_id: 11 })
    gateway.view.states.apply(`keys.member.${ORG_ID}.11`, member)
    const authorization = await sessionBearer(around.mint, member, { expiresIn: 2 })
    const stream = await listen(gateway, { authorization })
    expect(await stream.ended).toBe('complete')
    await isGone(open)
  })

  test('its membership, and the streams of other members continue', async ({ gateway, open }) => {
    const [mine, other] = [
      await gateway.sessionToken({ userId: 21 }),
      await gateway.sessionToken({ userId: 22 }),
    ]
    const [first, second] = [await listen(gateway, mine), await listen(gateway, other)]
    gateway.view.states.apply(
      `keys.member.${ORG_ID}.21`,
      memberStateOf({ user_id: 21, revision: 2, deleted_at: '2026-11-21T10:00:00.000Z' }),
    )
    expect(await first.ended).toBe('complete')
    open[1]?.outgoing.write(EVENT)
    await second.next(2)
    expect((await listen(gateway, mine)).status).toBe(401)
    second.close()
  })

  test('its membership, also while the broker is unreachable', async ({ around, gateway }) => {
    const session = await gateway.sessionToken({ userId: 31 })
    gateway.setCurrent(false)
    const stream = await listen(gateway, session)
    around.members.set(`${ORG_ID}/31`, memberStateOf({ user_id: 31, revision: 2 }))
    expect(await stream.ended).toBe('complete')
    gateway.setCurrent(true)
  })

  test('the process, at once, even for a client that reads nothing', async ({ startGateway, open }) => {
    const leaving = await startGateway()
    const session = await leaving.sessionToken({ userId: 41 })
    const [reading, stalled] = [await listen(leaving, session), await listen(leaving, session)]
    stalled.pause()
    const flood = open.at(-1)?.outgoing
    flood?.write(EVENT.repeat(1_000_000))
    let [left, before] = [0, -1]
    const isStuck = () => ([left, before] = [flood?.writableLength ?? 0, left])[0] === before && left > 0
    await expect.poll(isStuck, { ...PATIENTLY, interval: 200 }).toBe(true)
    await leaving.stop()
    expect(await reading.ended).toBe('complete')
    await expect.poll(() => open.every(({ outgoing }) => outgoing.destroyed), PATIENTLY).toBe(true)
    stalled.close()
  })
})
