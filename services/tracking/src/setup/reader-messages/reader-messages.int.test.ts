import type {
  DecodeRequest,
  DecodedRead,
  ReaderMessageView,
} from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { describe, expect } from 'vitest'
import { ingest, message, NOW, scans, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { ingestConsumer } from '../../ingest/ingest.consumer.ts'

const readerId = async (tracking: Tracking, key = 'dock-1') => {
  const { data } = (await tracking.call('GET', `/readers?q=${key}`)).json()
  return data[0].id as number
}

/** What the API shows after the log was written. */
async function list(tracking: Tracking): Promise<ReaderMessageView[]> {
  await tracking.health.flush()
  return (await tracking.call('GET', `/readers/${await readerId(tracking)}/messages`)).json().data
}

const sent = (body: string | Buffer, changes: Partial<IncomingMessage> = {}): IncomingMessage => ({
  ...message(1, []),
  data: Buffer.from(body),
  ...changes,
})

/** A message that becomes a dead letter. */
const refuse = (tracking: Tracking, refused: IncomingMessage) =>
  expect(() => ingestConsumer(tracking.ingest).decode(refused)).toThrow(PoisonError)

describe('D16.2 messages with a problem', () => {
  test('show what is wrong, where, and what to do, newest first', async ({ tracking }) => {
    await warehouse(tracking)
    refuse(tracking, sent('{"reads":7}'))
    await ingest(tracking, [message(1, [{ value: 'E280', antenna: 0 }])])
    await ingest(tracking, [message(1, [{ value: 'E280', location: 'NO-SUCH' }])])
    const received_at = new Date(NOW).toISOString()
    const base = { received_at, via: 'nats', subject: 'scans.1.dock-1.canonical' }
    expect(await list(tracking)).toMatchObject([
      {
        ...base,
        problems: [{ pointer: '', code: 'unknown_location', detail: expect.stringContaining('"NO-SUCH"') }],
      },
      { ...base, problems: [{ pointer: '/reads/0/antenna', code: 'invalid_field' }] },
      {
        ...base,
        size: 11,
        head: '{"reads":7}',
        problems: [{ pointer: '', code: 'unexpected_shape', detail: expect.stringContaining('topic') }],
      },
    ])
  })

  test('are the newest 3 of a reader without a setup, with 1 KiB each, over several writes', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const subject = 'scans.1.made-up.canonical'
    for (let write = 0; write < 3; write += 1) {
      for (let n = 0; n < 30; n += 1)
        refuse(tracking, sent(`bad ${write * 30 + n} ${'é'.repeat(4_000)}`, { subject }))
      await tracking.health.flush()
    }
    const kept = await tracking.db
      .selectFrom('reader_message')
      .select(['head', 'size'])
      .where('reader_key', '=', 'made-up')
      .orderBy('id')
      .execute()
    expect(kept.map(({ head }) => head.slice(0, 6))).toEqual(['bad 87', 'bad 88', 'bad 89'])
    for (const { head, size } of kept) expect([head.length, size]).toEqual([1_024, 8_007])
  })

  test('of which all is understood are not kept', async ({ tracking }) => {
    await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280' }, { value: 'FFFF', antenna: 3 }])])
    expect(await list(tracking)).toEqual([])
  })

  test.for([
    { via: 'nats', headers: {} },
    { via: 'mqtt', headers: { 'nmqtt-pub': 'x' } },
    { via: 'https', headers: { 'wb-via': 'https' } },
  ])('say that they came over $via', async ({ via, headers }, { tracking }) => {
    await warehouse(tracking)
    refuse(tracking, sent('x', { headers }))
    expect(await list(tracking)).toMatchObject([{ via }])
  })

  test('are the last 20 of each reader, over several writes', async ({ tracking }) => {
    await warehouse(tracking)
    for (let n = 0; n < 50; n += 1) {
      refuse(tracking, sent(`bad ${n}`))
      if (n % 12 === 0) await tracking.health.flush()
    }
    refuse(tracking, sent('other', { subject: 'scans.1.dock-2.canonical' }))
    const heads = (await list(tracking)).map(({ head }) => head)
    expect(heads).toEqual(Array.from({ length: 20 }, (_, i) => `bad ${49 - i}`))
    const { rows } = await tracking.pool.query('select count(*)::int as n from reader_message')
    expect(rows[0].n).toBe(21)
  })

  test('keep 8 KiB, and no character that cannot be stored or shown', async ({ tracking }) => {
    await warehouse(tracking)
    const hostile = `{"a\u0000\u001b[2J\u202e":"${'ü'.repeat(8_000)}"`
    refuse(tracking, sent(hostile, { subject: 'scans.1.dock-1.canonical.\u0007' }))
    const [kept] = await list(tracking)
    expect(kept).toMatchObject({ size: Buffer.byteLength(hostile), subject: 'scans.1.dock-1.canonical.␇' })
    expect(kept?.head.startsWith('{"a␀␛[2J\\u{202e}":"ü')).toBe(true)
    expect(kept?.head.endsWith('ü')).toBe(true)
    expect(Buffer.byteLength(kept?.head ?? '')).toBeLessThan(8_300)
  })

  test('are shown to their organization only', async ({ tracking }) => {
    await warehouse(tracking)
    const id = await readerId(tracking)
    refuse(tracking, sent('x', { subject: 'scans.2.dock-1.canonical' }))
    expect(await list(tracking)).toEqual([])
    const other = await tracking.call('GET', `/readers/${id}/messages`, { orgId: 2 })
    expect(other.statusCode).toBe(404)
  })
})

describe('D16.2 decoding a message', () => {
  const post = async (
    tracking: Tracking,
    body: DecodeRequest,
    options: { orgId?: number; userId?: number } = {},
  ) => tracking.call('POST', `/readers/${await readerId(tracking)}/decode`, { body, ...options })
  const decode = async (tracking: Tracking, body: DecodeRequest) => {
    const reply = await post(tracking, body)
    expect(reply.statusCode, reply.body).toBe(200)
    return reply.json().data as { reads: DecodedRead[]; problems: { pointer: string; code: string }[] }
  }
  const E280 = { tag: { type: 'rfid', value: 'E280' } }
  const reads = (...found: object[]) => ({ reads: found.map((read) => Object.assign({ ...E280 }, read)) })

  test('says of each read what would become of it, and stores nothing', async ({ tracking }) => {
    const { asset, dock } = await warehouse(tracking)
    const sentReads = reads(
      { antenna: 1, rssi_dbm: -41.5, read_at: '2026-03-01T10:00:00Z' },
      { antenna: 4 },
      { location: 'NO-SUCH' },
      { tag: { type: 'rfid', value: 'FFFF' } },
      { antenna: 0 },
    )
    const { reads: found, problems } = await decode(tracking, { message: sentReads, format: 'canonical' })
    const named = { id: asset.id, external_key: expect.any(String), name: expect.any(String) }
    expect(found).toMatchObject([
      {
        tag: { tag_type: 'rfid', value: 'E280' },
        antenna: 1,
        location_key: null,
        read_at: '2026-03-01T10:00:00.000Z',
        rssi: -41.5,
        asset: named,
        location: { id: dock.id },
        outcome: 'scan',
      },
      { antenna: 4, asset: named, location: null, outcome: 'no_scan_point' },
      { location_key: 'NO-SUCH', location: null, outcome: 'unknown_location' },
      { asset: null, outcome: 'unknown_tag' },
      { antenna: null, outcome: 'no_scan_point' },
    ])
    expect(problems.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/reads/4/antenna', 'invalid_field'],
      ['', 'unknown_location'],
    ])
    await tracking.health.flush()
    expect(await scans(tracking)).toEqual([])
    expect((await tracking.call('GET', '/readers')).json().data[0].health.messages).toBe(0)
  })

  test('takes text as well, such as several JSON texts or a broken one', async ({ tracking }) => {
    await warehouse(tracking)
    const one = JSON.stringify(reads({}))
    const { reads: found, problems } = await decode(tracking, {
      message: `${one}\n${one}\n{"re`,
      format: 'canonical',
    })
    expect(found).toHaveLength(2)
    expect(problems).toMatchObject([
      { pointer: '', code: 'malformed_json', detail: expect.stringContaining('JSON text 3') },
    ])
  })

  test('uses the format and mapping of the reader, or those of the request', async ({ tracking }) => {
    await warehouse(tracking)
    const mapping = { reads: '/list', tag: '/epc', tag_type: 'rfid' } as const
    const body = { list: [{ epc: 'E280' }] }
    expect((await decode(tracking, { message: body, format: 'mapping', mapping })).reads).toMatchObject([
      { outcome: 'scan' },
    ])
    const refused = await post(tracking, { message: body, format: 'mapping' })
    expect(refused.json().error).toMatchObject({
      status: 400,
      fields: [{ field: 'mapping', code: 'required' }],
    })
    const path = `/readers/${await readerId(tracking)}`
    await tracking.call('PATCH', path, { body: { format: 'mapping', mapping }, as: { role: 'admin' } })
    expect((await decode(tracking, { message: body })).reads).toHaveLength(1)
  })

  test('takes the levels of the topic that a mapping reads', async ({ tracking }) => {
    await warehouse(tracking)
    const mapping = { reads: '', tag: '$topic/2', tag_type: 'rfid' } as const
    const decoded = await decode(tracking, { message: {}, format: 'mapping', mapping, topic: 'gateway/E280' })
    expect(decoded.reads).toMatchObject([{ tag: { value: 'E280' }, outcome: 'scan' }])
  })

  test('can start from each preset', async ({ tracking }) => {
    await warehouse(tracking)
    const { data } = (await tracking.call('GET', '/reader-presets')).json()
    expect(data.length).toBeGreaterThan(10)
    for (const [index, { id, mapping }] of data.entries()) {
      const body = { message: {}, format: 'mapping', mapping } as const
      const reply = await post(tracking, body, { userId: 100 + index })
      expect(reply.statusCode, `${id} ${reply.body}`).toBe(200)
    }
  })

  test('returns at most 1 000 reads, and says why a message is refused', async ({ tracking }) => {
    await warehouse(tracking)
    const tags = (count: number) => ({
      tags: Array.from({ length: count }, () => ({ epc: 'E280', antennaPort: 1 })),
    })
    expect((await decode(tracking, { message: tags(2_000), format: 'csl' })).reads).toHaveLength(1_000)
    const { problems } = await decode(tracking, { message: tags(12_000), format: 'csl' })
    expect(problems).toEqual([
      {
        pointer: '',
        code: 'refused',
        detail: expect.stringMatching(/^(?:Too many reads: 12000|The message is too long)/),
      },
    ])
  })

  test('is limited for each user, and refuses another organization and no message', async ({ tracking }) => {
    await warehouse(tracking)
    tracking.clock.stoppedAt = Date.now()
    const body = { message: {}, format: 'impinj' } as const
    expect((await post(tracking, body, { orgId: 2, userId: 2 })).statusCode).toBe(404)
    expect((await post(tracking, { format: 'impinj' } as never)).statusCode).toBe(400)
    const replies = await Promise.all(Array.from({ length: 25 }, () => post(tracking, body, { userId: 3 })))
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5)
    expect((await post(tracking, body, { userId: 4 })).statusCode).toBe(200)
  })
})
