import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventReader } from './event-stream.ts'
import { FeedHub } from './feed-hub.ts'
import type { FromWorker } from './feed-messages.ts'

/** Where browsers report that they go offline or online. */
let network = new EventTarget()

beforeEach(() => {
  vi.useFakeTimers()
  network = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, network[name].bind(network))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

type Connection = { lastId: string | undefined; token: string; send: (text: string) => void; isOpen: boolean }

/** The far side: each request gets a stream that the test writes. */
function server() {
  const connections: Connection[] = []
  const refused = new Set<string>()
  const connect = async (headers: Record<string, string>, signal: AbortSignal): Promise<Response> => {
    const token = headers['authorization']?.slice('Bearer '.length) ?? ''
    if (refused.has(token)) return new Response(null, { status: 401 })
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const connection: Connection = {
          lastId: headers['last-event-id'],
          token,
          send: (text) => controller.enqueue(encoder.encode(text)),
          isOpen: true,
        }
        connections.push(connection)
        signal.addEventListener('abort', () => {
          connection.isOpen = false
          controller.error(signal.reason)
        })
      },
    })
    return new Response(body)
  }
  return { connections, refused, connect }
}

const cursor = (seq: number, epoch = 'e') => `:\nid: ${seq}-${epoch}\n\n`
const moved = (seq: number) => `id: ${seq}-e\nevent: asset.moved\ndata: {"delivery_id":"${seq}"}\n\n`
const reset = (seq: number) => `id: ${seq}-e\nevent: reset\ndata: {}\n\n`

/** A page that gives tokens and answers cursors, unless it is `dead`. */
function pageOf(hub: FeedHub, name: string) {
  const got: FromWorker[] = []
  const page = { got, isDead: false, lastId: '', asked: 0, token: name, port: { postMessage } }
  function postMessage(message: FromWorker): void {
    if (page.isDead) return
    got.push(message)
    if (message.type === 'cursor') hub.receive(page.port, { type: 'here', lastId: page.lastId })
    if (message.type !== 'token') return
    page.asked += 1
    if (message.refused === page.token) page.token += '-renewed'
    hub.receive(page.port, { type: 'token', request: message.request, token: page.token })
  }
  return {
    page,
    arrive: (lastId = '') => hub.receive(page.port, { type: 'here', lastId }),
    leave: () => hub.receive(page.port, { type: 'gone' }),
    ids: () => got.flatMap((message) => (message.type === 'movement' ? [message.id] : [])),
    resets: () => got.filter(({ type }) => type === 'reset').length,
  }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

async function shared(connect = server()) {
  const hub = new FeedHub(connect)
  const [a, b] = [pageOf(hub, 'a'), pageOf(hub, 'b')]
  a.arrive()
  await settle()
  const [connection] = connect.connections
  if (!connection) throw new Error('the hub connects for its first page')
  return { hub, a, b, connection, ...connect }
}

test('pages share one stream', async () => {
  const { a, b, connection, connections } = await shared()
  b.arrive()
  connection.send(cursor(4) + moved(5))
  await settle()
  expect([a.ids(), b.ids(), connections.length]).toEqual([['5-e'], ['5-e'], 1])
  expect(b.page.got[0]).toEqual({ type: 'status', status: 'live' })
})

test('a page that comes back gets what it missed, or a reset if that is no longer known', async () => {
  const { a, b, connection } = await shared()
  b.arrive()
  connection.send(cursor(4) + moved(5))
  await settle()
  b.leave()
  connection.send(moved(6) + moved(7))
  await settle()
  b.arrive('5-e')
  expect([b.ids(), b.resets()]).toEqual([['5-e', '6-e', '7-e'], 0])
  b.leave()
  b.arrive('3-e')
  expect(b.resets()).toBe(1)
  b.leave()
  b.arrive('9-other')
  expect(b.resets()).toBe(2)
  connection.send(reset(9))
  await settle()
  expect([a.resets(), b.resets()]).toEqual([1, 3])
  b.leave()
  b.arrive('7-e')
  expect(b.resets()).toBe(4)
})

test('the stream ends after the last page has left, and continues for one that comes back', async () => {
  const { a, connection, connections } = await shared()
  connection.send(cursor(4))
  await settle()
  a.leave()
  await vi.advanceTimersByTimeAsync(4_000)
  expect(connection.isOpen).toBe(true) // the next page of the console usually follows
  await vi.advanceTimersByTimeAsync(2_000)
  expect(connection.isOpen).toBe(false)
  a.arrive('4-e')
  await settle()
  expect(connections.map(({ lastId, isOpen }) => [lastId, isOpen])).toEqual([
    [undefined, false],
    ['4-e', true],
  ])
})

test('a page that was closed without a goodbye is dropped, and does not keep the stream', async () => {
  const { hub, a, b, connection } = await shared()
  b.arrive()
  hub.startPings()
  a.page.isDead = true
  await vi.advanceTimersByTimeAsync(70_000)
  b.leave()
  await vi.advanceTimersByTimeAsync(6_000)
  expect(connection.isOpen).toBe(false)
})

test('if a page does not answer, another gives the token; a refused token is replaced', async () => {
  const far = server()
  far.refused.add('a')
  const hub = new FeedHub(far)
  const [a, b] = [pageOf(hub, 'a'), pageOf(hub, 'b')]
  a.arrive()
  b.page.isDead = true
  b.arrive()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(far.connections.map(({ token }) => token)).toEqual(['a-renewed'])
  expect([a.page.asked > 0, b.page.asked]).toEqual([true, 0])
})

test('a stream that ends is continued', async () => {
  const { a, connection, connections } = await shared()
  connection.send(cursor(4) + moved(5))
  await settle()
  network.dispatchEvent(new Event('offline'))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(connections.map(({ lastId }) => lastId)).toEqual([undefined, '5-e'])
  const statuses = a.page.got.flatMap((message) => (message.type === 'status' ? [message.status] : []))
  expect(statuses.slice(-3)).toEqual(['live', 'interrupted', 'live'])
})

test('the reader of the stream takes text in any pieces', () => {
  const text = `${cursor(1)}${moved(2)}: comment\n\nevent: reset\r\ndata: {}\r\n\r\n`
  const events: string[] = []
  const read = eventReader(({ id, event, data }) => events.push(`${event} ${id} ${data}`))
  for (const character of text) read(character)
  expect(events).toEqual(['message 1-e ', 'asset.moved 2-e {"delivery_id":"2"}', 'reset 2-e {}'])
})
