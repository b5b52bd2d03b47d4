import type { Principal } from '@whereabouts/contracts/principal'
import { deflateSync, gzipSync } from 'node:zlib'
import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { describe, expect, vi } from 'vitest'
import { log, test as base, type Tracking } from '../../../test/tracking.fixture.ts'

const test = base.extend<{ bus: Bus }>({
  bus: async ({ tracking }, use) => {
    const bus = await startBus()
    tracking.brokers.current = bus.broker
    await use(bus)
    await bus.stop()
  },
})

type Sent = {
  reader?: string
  format?: string
  body?: Buffer | string
  key?: Partial<Principal>
  encoding?: string
}

const send = (
  tracking: Tracking,
  { reader = 'dock-1', format = 'impinj', body = '{}', key = {}, encoding }: Sent = {},
) =>
  tracking.call('POST', `/scans/${reader}/${format}`, {
    as: { kind: 'key', scopes: ['scans:write'], readerKey: null, ...key },
    bytes: body,
    ...(encoding !== undefined && { headers: { 'content-encoding': encoding } }),
  })

/** The next messages that ingest would get, in order. */
async function published(bus: Bus, count: number): Promise<{ subject: string; data: Buffer }[]> {
  const received: { subject: string; data: Buffer }[] = []
  const consumer = consumeBatches(
    bus.broker,
    {
      durable: 'tracking-ingest',
      maxMessages: 100,
      maxBytes: 1_000_000,
      maxWaitMs: 5,
      decode: ({ subject, data }) => ({ subject, data: Buffer.from(data) }),
      handle: async (messages) => void received.push(...messages),
    },
    { logger: log },
  )
  await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), { timeout: 5_000 })
  await consumer.stop()
  return received
}

describe('D16.3 a message over HTTPS', () => {
  test('is published unchanged to the subject of its reader, whatever is in it', async ({
    tracking,
    bus,
  }) => {
    const body = Buffer.from([0x00, 0xff, 0x7b, 0x0d, 0x0a])
    expect((await send(tracking, { body })).statusCode).toBe(202)
    expect((await send(tracking, { reader: 'new-1', format: 'no-such', body: '' })).statusCode).toBe(202)
    expect(await published(bus, 2)).toEqual([
      { subject: 'scans.1.dock-1.impinj', data: body },
      { subject: 'scans.1.new-1.no-such', data: Buffer.alloc(0) },
    ])
  })

  test('may have a query of the device, which is ignored', async ({ tracking, bus }) => {
    expect((await send(tracking, { format: 'impinj?event=up&a=%' })).statusCode).toBe(202)
    expect(await published(bus, 1)).toMatchObject([{ subject: 'scans.1.dock-1.impinj' }])
  })

  test('belongs to the organization of its key', async ({ tracking, bus }) => {
    await send(tracking, { key: { orgId: 2 } })
    expect(await published(bus, 1)).toMatchObject([{ subject: 'scans.2.dock-1.impinj' }])
  })

  test.for(['dock.1', 'dock*', 'a b', 'x'.repeat(65)])(
    'of the reader %s is refused',
    async (reader, { tracking }) => {
      const reply = await send(tracking, { reader: encodeURIComponent(reader) })
      expect(reply.json().error).toMatchObject({ status: 400, fields: [{ field: 'reader_key' }] })
    },
  )

  test.for(['a.b', '>', '*', 'x'.repeat(33)])('of the format %s is refused', async (format, { tracking }) => {
    const reply = await send(tracking, { format: encodeURIComponent(format) })
    expect(reply.json().error).toMatchObject({ status: 400, fields: [{ field: 'format' }] })
  })

  test('is 503 if the broker does not answer', async ({ tracking }) => {
    delete tracking.brokers.current
    expect((await send(tracking)).statusCode).toBe(503)
  })
})

describe('D19.4 a packed message', () => {
  test('is published unpacked', async ({ tracking, bus }) => {
    const body = Buffer.from('{"reads":[]}')
    expect((await send(tracking, { body: gzipSync(body), encoding: 'gzip' })).statusCode).toBe(202)
    expect((await send(tracking, { body: deflateSync(body), encoding: 'deflate' })).statusCode).toBe(202)
    expect((await published(bus, 2)).map(({ data }) => data)).toEqual([body, body])
  })

  test('is not published if it cannot be unpacked, or is larger than a message', async ({
    tracking,
    bus,
  }) => {
    const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20))
    const answers = [
      await send(tracking, { body: bomb, encoding: 'gzip' }),
      await send(tracking, { body: '{}', encoding: 'gzip' }),
      await send(tracking, { body: '{}', encoding: 'br' }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([413, 400, 415])
    await send(tracking, { body: 'last' })
    expect(await published(bus, 1)).toMatchObject([{ data: Buffer.from('last') }])
  })
})

describe('D16.1 a key that is bound to a reader', () => {
  test('sends for that reader only', async ({ tracking, bus }) => {
    const key = { readerKey: 'dock-1' }
    const refused = await send(tracking, { reader: 'dock-2', key })
    expect(refused.json().error).toMatchObject({
      status: 403,
      detail: 'This API key may send for the reader dock-1 only',
    })
    expect((await send(tracking, { key })).statusCode).toBe(202)
    expect(await published(bus, 1)).toMatchObject([{ subject: 'scans.1.dock-1.impinj' }])
  })

  test('needs a token that says so: one of the release before is refused', async ({ tracking }) => {
    expect((await send(tracking, { key: { readerKey: undefined } as never })).statusCode).toBe(401)
  })
})

describe('the rate', () => {
  const sendMany = async (tracking: Tracking, count: number, sent: Sent = {}) => {
    const replies = await Promise.all(Array.from({ length: count }, () => send(tracking, sent)))
    return replies.filter(({ statusCode }) => statusCode === 202).length
  }

  test('D16.3 of a reader is 50 messages a second; other readers and organizations have their own', async ({
    tracking,
    bus,
  }) => {
    expect(bus).toBeDefined()
    tracking.clock.stoppedAt = Date.now()
    expect(await sendMany(tracking, 120)).toBe(100)
    const refused = await send(tracking)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(await sendMany(tracking, 1, { reader: 'dock-2' })).toBe(1)
    expect(await sendMany(tracking, 1, { key: { orgId: 2 } })).toBe(1)
    tracking.clock.stoppedAt += 1_000
    expect(await sendMany(tracking, 60)).toBe(50)
  })

  test('of all readers is that of the organization: beyond it, ingest would drop the messages', async ({
    tracking,
    bus,
  }) => {
    expect(bus).toBeDefined()
    tracking.clock.stoppedAt = Date.now()
    const body = Buffer.alloc(250 * 1024)
    const accepted = await Promise.all(
      Array.from({ length: 80 }, (_, i) => send(tracking, { reader: `dock-${i}`, body })),
    )
    // 16 MB at once, as over NATS.
    expect(accepted.filter(({ statusCode }) => statusCode === 202)).toHaveLength(64)
    expect(await sendMany(tracking, 1, { key: { orgId: 2 } })).toBe(1)
  })
})
