import { dropBefore, recreateStream } from '@whereabouts/testing/broker/streams'
import { describe, expect } from 'vitest'
import { MAX_REPLAYED } from './catch-up.ts'
import { anybody, numbersOf, PATIENTLY, publishMoves, range, test } from '../../../test/live/live.fixture.ts'
import { MAX_CONNECTIONS, MAX_PER_ADDRESS, MAX_PER_ORG, MAX_PER_USER, RESERVED } from './stream-shares.ts'

const [ORG, OTHER] = [7, 8]

describe('D10 a live stream', () => {
  test('shows the movements of its organization from now on, and no others', async ({ bus, replica }) => {
    await publishMoves(bus.broker, ORG, [1])
    const { open } = await replica()
    const [mine, other] = [await open(ORG), await open(OTHER)]
    expect(mine.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'private, no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    await publishMoves(bus.broker, ORG, [2])
    await publishMoves(bus.broker, OTHER, [3])
    await publishMoves(bus.broker, ORG, [4])
    await publishMoves(bus.broker, OTHER, [5])
    expect(numbersOf(await mine.next(2))).toEqual([2, 4])
    expect(numbersOf(await other.next(2))).toEqual([3, 5])
    expect(mine.events.map(({ event }) => event)).toEqual(['asset.moved', 'asset.moved'])
    expect(JSON.stringify(mine.events)).not.toMatch(/org_id|kind/)
  })

  test('resumes in any process, during many movements, without gap or repetition', async ({
    bus,
    replica,
  }) => {
    const processes = [await replica(), await replica()]
    const total = 4_000
    const first = await processes[0]?.open(ORG)
    let lastId = ''
    await expect.poll(() => (lastId = first?.lastId() ?? ''), PATIENTLY).not.toBe('')
    first?.close()
    const storm = (async () => {
      for (let n = 0; n < total; n += 50) {
        await publishMoves(bus.broker, ORG, range(n, 50))
        await publishMoves(bus.broker, OTHER, range(n, 20))
      }
    })()
    const seen: number[] = []
    for (let turn = 0; seen.length < total; turn += 1) {
      const stream = await processes[turn % 2]?.open(ORG, lastId)
      if (!stream) throw new Error('there are two processes')
      await stream.next(Math.min(1 + ((turn * 37) % 400), total - seen.length))
      stream.close()
      lastId = stream.lastId()
      seen.push(...numbersOf(stream.events))
    }
    await storm
    expect(seen).toEqual(range(0, total))
  })

  test('takes the id also as a parameter; the header wins', async ({ bus, replica }) => {
    const { open } = await replica()
    const first = await open(ORG)
    await publishMoves(bus.broker, ORG, [1, 2, 3])
    const [one, two] = await first.next(3)
    const query = `?last_event_id=${one?.id}`
    expect(numbersOf(await (await open(ORG, undefined, query)).next(2))).toEqual([2, 3])
    expect(numbersOf(await (await open(ORG, two?.id, query)).next(1))).toEqual([3])
  })

  test('sends its cursor while nothing moves, so that a client can resume after a quiet week', async ({
    bus,
    replica,
  }) => {
    const { open } = await replica({ heartbeatMs: 20 })
    const quiet = await open(ORG)
    const before = quiet.lastId()
    await publishMoves(bus.broker, OTHER, [1])
    await expect.poll(() => quiet.lastId(), PATIENTLY).toMatch(/^1-/)
    expect(before).not.toBe(quiet.lastId())
    quiet.close()
    await publishMoves(bus.broker, ORG, [2])
    expect(numbersOf(await (await open(ORG, quiet.lastId())).next(1))).toEqual([2])
  })
})

describe('D10 a client gets a reset', () => {
  test.for(['nonsense', '1', '1-abc', '999999-EPOCH'])('with the id %s', async (id, { bus, replica }) => {
    const { open } = await replica()
    const first = await open(ORG)
    await expect.poll(() => first.lastId(), PATIENTLY).not.toBe('')
    const epoch = first.lastId().split('-')[1] ?? ''
    const stream = await open(ORG, id.replace('EPOCH', epoch))
    expect(await stream.next(1)).toMatchObject([{ event: 'reset', data: '{}' }])
    await publishMoves(bus.broker, ORG, [5])
    expect(numbersOf((await stream.next(2)).slice(1))).toEqual([5])
  })

  test('when the stream no longer has the missed movements', async ({ bus, replica }) => {
    const { open } = await replica()
    const first = await open(ORG)
    await publishMoves(bus.broker, ORG, [1, 2, 3])
    const [{ id } = { id: '' }] = await first.next(3)
    await dropBefore(bus.broker, 'EVENTS', 3)
    const stream = await open(ORG, id)
    expect(await stream.next(1)).toMatchObject([{ event: 'reset' }])
  })

  test('when it missed so many movements that reloading is less work', async ({ bus, replica }) => {
    const { open } = await replica()
    const first = await open(ORG)
    await expect.poll(() => first.lastId(), PATIENTLY).not.toBe('')
    first.close()
    for (let n = 0; n < MAX_REPLAYED + 500; n += 500) await publishMoves(bus.broker, ORG, range(n, 500))
    expect(await (await open(ORG, first.lastId())).next(1)).toMatchObject([{ event: 'reset' }])
  })

  test('when the stream is re-created, and continues', { timeout: 40_000 }, async ({ bus, replica }) => {
    const { open } = await replica()
    const stream = await open(ORG)
    await publishMoves(bus.broker, ORG, [1])
    await stream.next(1)
    await recreateStream(bus.broker, 'EVENTS')
    expect((await stream.next(2))[1]).toMatchObject({ event: 'reset' })
    await publishMoves(bus.broker, ORG, [2])
    expect(numbersOf((await stream.next(3)).slice(2))).toEqual([2])
  }) // oxfmt-ignore
})

describe('D10 a client that does not keep up', () => {
  test('is disconnected, delays no other client, and resumes from its last event', async ({
    bus,
    replica,
  }) => {
    const { open, live, metrics } = await replica({ roomMs: 2_000 })
    const [slow, fast] = [await open(ORG), await open(ORG)]
    slow.pause()
    const name = 'x'.repeat(40_000)
    for (let n = 0; n < 600; n += 50) await publishMoves(bus.broker, ORG, range(n, 50), name)
    expect(numbersOf(await fast.next(600))).toEqual(range(0, 600))
    await expect.poll(() => live.size, PATIENTLY).toBe(1)
    expect((await metrics.slow.get()).values[0]?.value).toBe(1)
    slow.resume()
    await slow.ended
    const seen = numbersOf(slow.events)
    const again = await open(ORG, slow.lastId())
    await again.next(600 - seen.length)
    expect([...seen, ...numbersOf(again.events)]).toEqual(range(0, 600))
  })

  // The missed movements are read from the stream in one or several reads, and wait for room before they are sent.
  test.for([
    { what: 'what can be held for it', missed: 500, length: 40_000, large: 0 },
    { what: 'more than that', missed: 500, length: 40_000, large: 50 },
    { what: 'more than that, after the last read', missed: 90, length: 200_000, large: 5 },
  ])(
    'while it catches up, gets each new movement exactly once: $what',
    async ({ missed, length, large }, { bus, replica }) => {
      const { open } = await replica()
      const first = await open(ORG)
      await expect.poll(() => first.lastId(), PATIENTLY).not.toBe('')
      first.close()
      const name = 'x'.repeat(length)
      for (let n = 0; n < missed; n += 10) await publishMoves(bus.broker, ORG, range(n, 10), name)
      const resumed = await open(ORG, first.lastId())
      await resumed.next(1)
      resumed.pause()
      await publishMoves(bus.broker, ORG, range(missed, large), name)
      await publishMoves(bus.broker, ORG, range(missed + large, 5))
      resumed.resume()
      const total = missed + large + 5
      await resumed.next(total)
      await publishMoves(bus.broker, ORG, [-1])
      await resumed.next(total + 1)
      expect(numbersOf(resumed.events)).toEqual([...range(0, total), -1])
    },
  )
})

describe('D10 a live stream and its broker', () => {
  test('stays open while the broker is not reachable, and misses nothing', async ({ bus, replica }) => {
    const { open } = await replica()
    const stream = await open(ORG)
    await publishMoves(bus.broker, ORG, [1])
    const [{ id } = { id: '' }] = await stream.next(1)
    await publishMoves(bus.broker, ORG, [2])
    await stream.next(2)
    await bus.server.kill()
    const resumed = await open(ORG, id)
    const late = await open(ORG, stream.lastId())
    await bus.server.restart()
    await publishMoves(await bus.connect(), ORG, [3, 4])
    expect(numbersOf(await stream.next(4))).toEqual([1, 2, 3, 4])
    expect(numbersOf(await resumed.next(3))).toEqual([2, 3, 4])
    expect(numbersOf(await late.next(2))).toEqual([3, 4])
  })
})

describe('D10 live streams are bounded', () => {
  test('by organization: 429 until one ends; HEAD does not count', async ({ bus, replica }) => {
    const { open, head, live } = await replica()
    const streams = await Promise.all(range(0, MAX_PER_ORG - 1).map(() => open(ORG)))
    for (let i = 0; i < 3; i += 1) expect((await head(ORG)).status).toBe(200)
    const last = await open(ORG)
    expect(last.status).toBe(200)
    const refused = await open(ORG)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
    expect(JSON.parse(await refused.body).error).toMatchObject({
      type: 'rate_limited',
      detail: 'At most 25 live streams of an organization at a time',
    })
    expect((await open(OTHER)).status).toBe(200)
    last.close()
    await expect.poll(() => live.size, PATIENTLY).toBe(MAX_PER_ORG)
    const next = await open(ORG)
    expect(next.status).toBe(200)
    await publishMoves(bus.broker, ORG, [1])
    expect(numbersOf(await (streams[0] ?? next).next(1))).toEqual([1])
  })

  test.for([
    { what: 'user', max: MAX_PER_USER, detail: 'At most 10 live streams of a user at a time' },
    {
      what: 'address',
      max: MAX_PER_ADDRESS,
      detail: 'At most 40 live streams of a client address at a time',
    },
  ] as const)('by $what: 429, in any organization', async ({ what, max, detail }, { replica }) => {
    const { open } = await replica()
    const one = anybody()
    const same = (n: number) => (what === 'user' ? { ...anybody(), userId: one.userId } : ipv6(n))
    const ipv6 = (n: number) => ({ ...anybody(), address: `2001:db8:0:7:${n.toString(16)}::1` })
    const streams = await Promise.all(range(0, max).map((n) => open(n % 5, undefined, '', same(n))))
    expect(streams.filter(({ status }) => status !== 200)).toEqual([])
    const refused = await open(99, undefined, '', same(max))
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
    expect(JSON.parse(await refused.body).error).toMatchObject({ type: 'rate_limited', detail })
    expect((await open(99)).status).toBe(200)
  })

  test('by process: organizations that take all they can leave a stream for each other organization', async ({
    replica,
    bus,
  }) => {
    const { live, metrics } = await replica()
    const inAMinute = Date.now() + 60_000
    const listen = (orgId: number) => live.open({ orgId, ...anybody() }, undefined, inAMinute).resume()
    const greedy = range(1_000, 30)
    const taken = greedy.flatMap((orgId) =>
      range(0, MAX_PER_ORG).map(() => ({ orgId, stream: listen(orgId) })),
    )
    expect(taken).toHaveLength(MAX_CONNECTIONS - RESERVED)
    for (const orgId of greedy) expect(() => listen(orgId)).toThrow(/At most 25 live streams of an org/)
    // From the reserve while it lasts, then from the organizations with the most.
    const modest = range(2_000, RESERVED + 100).map((orgId) => ({ orgId, stream: listen(orgId) }))
    expect(live.size).toBe(MAX_CONNECTIONS)
    await expect.poll(() => taken.filter(({ stream }) => stream.destroyed).length, PATIENTLY).toBe(100)
    expect(modest.filter(({ stream }) => stream.destroyed)).toEqual([])
    expect((await metrics.displaced.get()).values[0]?.value).toBe(100)
    const left = greedy.map((id) => taken.filter((t) => t.orgId === id && !t.stream.destroyed).length)
    expect([Math.min(...left), Math.max(...left)]).toEqual([21, 22])
    // A second stream of a modest organization still wins over the 22nd of a greedy one; the greedy ones get no more.
    listen(2_000)
    expect(() => listen(1_000)).toThrow(/At most 2[12] live streams/)
    await publishMoves(bus.broker, 2_001, [1])
    let text = ''
    modest[1]?.stream.on('data', (chunk) => (text += String(chunk)))
    await expect.poll(() => text, PATIENTLY).toMatch(/asset\.moved/)
  })

  test('by the expiry that the gateway signed', async ({ replica }) => {
    const { live } = await replica()
    const stream = live.open({ orgId: ORG, ...anybody() }, undefined, Date.now() + 100)
    stream.resume()
    await new Promise((resolve) => stream.once('end', resolve))
    expect(live.size).toBe(0)
  })

  test('by the end of the process: all end completely, and new clients get 503', async ({ replica }) => {
    const { open, stop, live } = await replica()
    const streams = await Promise.all(range(0, 20).map(() => open(ORG)))
    await stop()
    expect(new Set(await Promise.all(streams.map(({ ended }) => ended)))).toEqual(new Set(['complete']))
    expect(live.size).toBe(0)
    expect(() => live.open({ orgId: ORG, ...anybody() }, undefined, Date.now() + 1_000)).toThrow(
      /unavailable/,
    )
  })
})
