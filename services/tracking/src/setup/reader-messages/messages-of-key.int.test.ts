import type { Principal } from '@whereabouts/contracts/principal'
import type { ReaderMessageView } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { describe, expect } from 'vitest'
import { ingest, message, NOW, scans, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'

const BOUND: Partial<Principal> = { kind: 'key', scopes: ['scans:write'], readerKey: 'dock-1' }
const minutesAfter = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()

const check = (
  tracking: Tracking,
  bytes: string,
  { as = BOUND, path = 'dock-1/canonical', query = 'check=true' } = {},
) => tracking.call('POST', `/scans/${path}?${query}`, { as, bytes })
const canonical = (...reads: readonly Parameters<typeof message>[1][number][]) =>
  message(1, reads).data.toString()
const codes = (reply: Awaited<ReturnType<typeof check>>) =>
  reply.json().data.problems.map(({ code }: { code: string }) => code)

/** None of these tests has a broker: a message that is published is answered with 503. */
describe('D19.4 a message that is checked', () => {
  test('says what would become of it, as decode does, and stores nothing', async ({ tracking }) => {
    await warehouse(tracking)
    const sent = canonical({ value: 'E280', antenna: 1 }, { value: 'E281', antenna: 1 })
    const reply = await check(tracking, sent)
    expect(reply.statusCode).toBe(200)
    const { data } = (await tracking.call('GET', '/readers?q=dock-1')).json()
    const body = { message: sent, format: 'canonical' }
    const decoded = await tracking.call('POST', `/readers/${data[0].id}/decode`, { body })
    expect(reply.json()).toEqual(decoded.json())
    expect(reply.json().data.reads).toMatchObject([
      { outcome: 'scan', location: { name: 'Dock' } },
      { outcome: 'unknown_tag' },
    ])
    await Promise.all([tracking.health.flush(), tracking.unknownTags.flush()])
    expect(await scans(tracking)).toEqual([])
    expect((await tracking.call('GET', '/readers')).json().data[0].health.last_seen_at).toBeNull()
    expect((await tracking.call('GET', '/unknown-tags')).json().data).toEqual([])
  })

  test('says what an ingest that refuses it would say', async ({ tracking }) => {
    await warehouse(tracking)
    expect(codes(await check(tracking, '{"reads":['))).toEqual(['malformed_json'])
    expect(codes(await check(tracking, '{}', { path: 'dock-1/zebbra' }))).toEqual(['refused'])
    expect(codes(await check(tracking, '{}', { path: 'dock-1/mapping' }))).toEqual(['refused'])
  })

  test('names a wrong clock and antennas that are not known', async ({ tracking }) => {
    await warehouse(tracking)
    const now = Date.now()
    const reply = await check(
      tracking,
      canonical(
        { value: 'E280', antenna: 7, at: now + 2 * 3_600_000 },
        { value: 'E280', antenna: 8, at: now },
        { value: 'E280', antenna: 7, at: now },
      ),
    )
    expect(reply.json().data.problems).toMatchObject([
      { code: 'wrong_clock', detail: expect.stringContaining('2 h ahead') },
      { code: 'unknown_antenna', detail: expect.stringContaining('Antenna 7 ') },
      { code: 'unknown_antenna', detail: expect.stringContaining('Antenna 8 ') },
    ])
    const late = await check(tracking, canonical({ value: 'E280', antenna: 1, at: now - 40 * 3_600_000 }))
    expect(late.json().data.problems).toMatchObject([{ detail: expect.stringContaining('40 h old') }])
    expect(codes(await check(tracking, canonical({ value: 'E280', antenna: 1, at: now })))).toEqual([])
  })

  test('does not make a reader known', async ({ tracking }) => {
    const as = { ...BOUND, readerKey: 'new-1' }
    expect(
      (await check(tracking, canonical({ value: 'E280' }), { as, path: 'new-1/canonical' })).statusCode,
    ).toBe(200)
    await tracking.health.flush()
    expect((await tracking.call('GET', '/readers?configured=false')).json().data).toEqual([])
  })

  test('is one with `check=true` in any query, and no other', async ({ tracking }) => {
    await warehouse(tracking)
    const status = async (query: string) => (await check(tracking, '{}', { query })).statusCode
    expect(await status('a=%&check=true&check%5B%5D=1')).toBe(200)
    expect(await status('check=false')).toBe(503)
    expect(await status('Check=true')).toBe(503)
    expect(await status('check=1')).toBe(400)
    expect(await status('check=true&check=false')).toBe(400)
  })

  test.for([
    ['an unbound key', { readerKey: null }, 403, 'Only an API key that is bound to the reader dock-1'],
    [
      'a session',
      { kind: 'session', role: 'admin', readerKey: undefined },
      403,
      'Only an API key that is bound',
    ],
    ['the key of another reader', { readerKey: 'dock-2' }, 403, 'the reader dock-2 only'],
    ['a token of the release before', { readerKey: undefined }, 401, 'Invalid or expired token'],
  ] as const)(
    'is refused for %s, and so is the list of problems',
    async ([, changes, status, detail], { tracking }) => {
      const as = { ...BOUND, ...changes } as Partial<Principal>
      for (const reply of [
        await check(tracking, '{}', { as }),
        await tracking.call('GET', '/scans/dock-1/messages', { as }),
      ])
        expect(reply.json().error).toMatchObject({ status, detail: expect.stringContaining(detail) })
    },
  )

  test('counts against the rate of the reader', async ({ tracking }) => {
    tracking.clock.stoppedAt = Date.now()
    const replies = await Promise.all(Array.from({ length: 120 }, () => check(tracking, '')))
    expect(replies.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThanOrEqual(20)
  })
})

describe('D19.4 the problems of a reader', () => {
  const list = async (
    tracking: Tracking,
    { orgId = 1, reader = 'dock-1' } = {},
  ): Promise<ReaderMessageView[]> => {
    await tracking.health.flush()
    const as = { ...BOUND, readerKey: reader }
    return (await tracking.call('GET', `/scans/${reader}/messages`, { as, orgId })).json().data
  }
  const ofSession = async (tracking: Tracking) => {
    const { data } = (await tracking.call('GET', '/readers?q=dock-1')).json()
    return (await tracking.call('GET', `/readers/${data[0].id}/messages`)).json().data
  }

  test('are those that a session gets, and of one organization', async ({ tracking }) => {
    await warehouse(tracking)
    await ingest(tracking, [message(1, [{ value: 'E280', location: 'NO-SUCH' }])])
    const messages = await list(tracking)
    expect(messages).toMatchObject([{ problems: [{ code: 'unknown_location' }] }])
    expect(messages).toEqual(await ofSession(tracking))
    expect(await list(tracking, { orgId: 2 })).toEqual([])
  })

  test('are none of a reader that nobody knows, which asking does not change', async ({ tracking }) => {
    expect(await list(tracking, { reader: 'new-1' })).toEqual([])
    expect((await tracking.call('GET', '/readers?configured=false')).json().data).toEqual([])
  })

  test('begin with what the broker did not let through, until a message arrives', async ({ tracking }) => {
    await warehouse(tracking)
    tracking.readerUses.set('1 dock-1', minutesAfter(0))
    const lost = {
      id: NOW,
      received_at: minutesAfter(0),
      via: 'broker',
      problems: [{ code: 'nothing_arrived', detail: expect.stringContaining('scans/1/dock-1/ ') }],
    }
    expect(await list(tracking)).toMatchObject([lost])
    expect(await ofSession(tracking)).toMatchObject([lost])
    await ingest(tracking, [message(1, [{ value: 'E280', antenna: 1 }])])
    expect(await list(tracking)).toEqual([])
    tracking.readerUses.set('1 dock-1', minutesAfter(1.9)) // as the broker reports the message that arrived
    expect(await list(tracking)).toEqual([])
    tracking.readerUses.set('1 dock-1', minutesAfter(2.1))
    expect(await list(tracking)).toMatchObject([{ received_at: minutesAfter(2.1) }])
  })

  test('are asked for five times a second at most', async ({ tracking }) => {
    tracking.clock.stoppedAt = Date.now()
    const ask = () => tracking.call('GET', '/scans/dock-1/messages', { as: BOUND })
    const replies = await Promise.all(Array.from({ length: 25 }, ask))
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5)
    tracking.clock.stoppedAt += 1_000
    expect((await ask()).statusCode).toBe(200)
  })
})
