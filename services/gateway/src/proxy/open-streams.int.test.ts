import { EVENT_STREAM_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { openEvents, type EventStream } from '@whereabouts/testing/event-stream'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  memberStateOf,
  ORG_ID,
  sessionBearer,
  startGateway,
  startSurroundings,
  type Surroundings,
  type TestGateway,
} from '../../test/gateway.fixture.ts'

/** Answers without end, on their way from a service to a client. */
let around: Surroundings
let gateway: TestGateway
let service: Server
let open: { incoming: IncomingMessage; outgoing: ServerResponse }[]
const PATIENTLY = { timeout: 10_000 }
const LIVE = '/api/v1/movements/live'
const EVENT = 'id: 1\nevent: asset.moved\ndata: {}\n\n'

beforeAll(async () => {
  around = await startSurroundings()
  service = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(LIVE))
      return outgoing.setHeader('content-type', 'application/json').end('{}')
    open.push({ incoming, outgoing })
    outgoing.writeHead(200, { 'content-type': EVENT_STREAM_MEDIA_TYPE, 'cache-control': 'no-store' })
    if (incoming.method === 'HEAD') return outgoing.end()
    return outgoing.write(EVENT)
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const address = service.address()
  around.services.tracking.origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  gateway = await startGateway(around, { readTimeoutMs: 200 })
})
beforeEach(() => {
  open = []
})
afterAll(async () => {
  await gateway.stop()
  service.close()
  await around.stop()
})

async function listen(headers: Record<string, string>, at = gateway): Promise<EventStream> {
  const stream = await openEvents(`${at.origin}${LIVE}`, { 'user-agent': 'live/1', ...headers })
  if (stream.status === 200) await stream.next(1)
  return stream
}

/** Asserts that the service is rid of the first stream too. */
const isGone = () => expect.poll(() => open[0]?.outgoing.destroyed, PATIENTLY).toBe(true)

describe('D10 a stream through the gateway', () => {
  test('arrives event by event, long after the time in which an answer must begin', async () => {
    const session = await gateway.sessionToken()
    const stream = await listen({ ...session, 'last-event-id': '7-abc' })
    expect(open[0]?.incoming.headers).toMatchObject({ 'last-event-id': '7-abc' })
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const { promise: later, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 500)
    await later
    open[0]?.outgoing.write(EVENT)
    await stream.next(2)
    stream.close()
    await isGone()
  })

  test('keeps no connection from others: so many of them leave the service reachable', async () => {
    const session = await gateway.sessionToken()
    const streams = await Promise.all(Array.from({ length: 300 }, () => listen(session)))
    const { authorization } = await gateway.keyToken({ scopes: ['scans:read'] })
    expect((await gateway.request('/api/v1/locations/current', { headers: { authorization } })).status).toBe(200)
    for (const stream of streams) stream.close()
    await expect.poll(() => open.every(({ outgoing }) => outgoing.destroyed), PATIENTLY).toBe(true)
  }) // prettier-ignore

  test('breaks off when its service does, so that the client comes again', async () => {
    const stream = await listen(await gateway.sessionToken())
    open[0]?.outgoing.destroy()
    expect(await stream.ended).toBe('broken')
  })

  test('ends when its service ends it', async () => {
    const stream = await listen(await gateway.sessionToken())
    open[0]?.outgoing.end()
    expect(await stream.ended).toBe('complete')
  })

  test('HEAD has its headers', async () => {
    const answer = await fetch(`${gateway.origin}${LIVE}`, {
      method: 'HEAD',
      headers: { 'user-agent': 'live/1', ...(await gateway.sessionToken()) },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  })
})

describe('D9.3 a stream ends with what it was opened by', () => {
  test('the token, however long the service goes on', async () => {
    const member = memberStateOf({ user_id: 11 })
    gateway.view.apply(`keys.member.${ORG_ID}.11`, member)
    const authorization = await sessionBearer(around.mint, member, { expiresIn: 2 })
    const stream = await listen({ authorization })
    expect(await stream.ended).toBe('complete')
    await isGone()
  })

  test('the membership, and those of other members go on', async () => {
    const [mine, other] = [
      await gateway.sessionToken({ userId: 21 }),
      await gateway.sessionToken({ userId: 22 }),
    ]
    const [first, second] = [await listen(mine), await listen(other)]
    gateway.view.apply(
      `keys.member.${ORG_ID}.21`,
      memberStateOf({ user_id: 21, revision: 2, deleted_at: '2026-11-21T10:00:00.000Z' }),
    )
    expect(await first.ended).toBe('complete')
    open[1]?.outgoing.write(EVENT)
    await second.next(2)
    expect((await listen(mine)).status).toBe(401)
    second.close()
  })

  test('the membership, also while the broker is away and keys is asked', async () => {
    const session = await gateway.sessionToken({ userId: 31 })
    gateway.setCurrent(false)
    const stream = await listen(session)
    around.members.set(`${ORG_ID}/31`, memberStateOf({ user_id: 31, revision: 2 }))
    expect(await stream.ended).toBe('complete')
    gateway.setCurrent(true)
  })

  test('the process, at once, even for a client that reads nothing', async () => {
    const leaving = await startGateway(around)
    const session = await leaving.sessionToken({ userId: 41 })
    const [reading, stalled] = [await listen(session, leaving), await listen(session, leaving)]
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
