import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { attemptAt, logDeliveries, stored, test, type Owner } from '../../test/deliveries.fixture.ts'
import { cursorOf } from '@whereabouts/service-kit/http/cursor'

const list = async ({ ask, webhookId }: Pick<Owner, 'ask' | 'webhookId'>, query = '') =>
  (await ask('GET', `/webhook-endpoints/${webhookId}/deliveries${query}`)).json()
const seqsOf = (page: { data: { delivery_id: string }[] }) =>
  page.data.map(({ delivery_id: id }) => Number(id.slice(-4)))
const idOf = (seq: number) => `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`

test('D13.11 a delivery has its state, its attempts, the last of them and the time of the next', async ({
  database,
  owner,
}) => {
  await logDeliveries(database.db, owner, [
    { seq: 1, id: idOf(1), log: [attemptAt(1, 500), attemptAt(2)] },
    { seq: 2, id: idOf(2), state: 'waiting', next_attempt_at: '2026-11-21T11:30:00.000Z' },
    { seq: 3, id: idOf(3), state: 'waiting', next_attempt_at: 'infinity', log: [] },
    { seq: 4, id: idOf(4), state: 'failed', next_attempt_at: '2026-11-21T11:30:00.000Z' },
  ])
  const { data, ...page } = await list(owner)
  expect(page).toEqual({ cursor: null, has_more: false })
  expect(data[3]).toEqual({
    delivery_id: idOf(1),
    type: 'asset.moved',
    occurred_at: '2026-11-21T10:00:00.500Z',
    state: 'delivered',
    attempts: 2,
    next_attempt_at: null,
    last: { at: '2026-11-21T11:00:00.002Z', status_code: 204, error: null, latency_ms: 5 },
  })
  expect(data[2]).toMatchObject({ state: 'waiting', next_attempt_at: '2026-11-21T11:30:00.000Z' })
  expect(data[1]).toMatchObject({ state: 'waiting', attempts: 0, next_attempt_at: null, last: null })
  expect(data[0]).toMatchObject({ state: 'failed', next_attempt_at: null })
})

test('D13.11 pages go through all events once, newest first, while others come; test events are left out', async ({
  database,
  owner,
}) => {
  const rows = Array.from({ length: 120 }, (_, n) => ({ seq: n + 1, id: idOf(n + 1) }))
  await logDeliveries(database.db, owner, rows)
  await logDeliveries(database.db, owner, [{ seq: -1_795_255_200_000_000, id: idOf(999) }])
  const seen: number[] = []
  let page = await list(owner, '?limit=40')
  for (let n = 0; ; n += 1) {
    seen.push(...seqsOf(page))
    if (!page.has_more) break
    await logDeliveries(database.db, owner, [{ seq: 1_000 + n }])
    page = await list(owner, `?limit=40&after=${page.cursor}`)
  }
  expect(page.cursor).toBeNull()
  expect(seen).toEqual(rows.map(({ seq }) => seq).toReversed())
  expect((await list(owner)).data).toHaveLength(50)
  expect((await list(owner, '?limit=500')).data).toHaveLength(122)
  expect((await list(owner, '?limit=501')).error.fields[0]).toMatchObject({
    field: 'limit',
    code: 'too_large',
  })
})

test('D13.11 state, type and the time of the event filter, alone and together', async ({
  database,
  owner,
}) => {
  const at = (minute: number) => `2026-11-21T10:0${minute}:00.000Z`
  await logDeliveries(database.db, owner, [
    { seq: 1, id: idOf(1), occurred_at: at(1), state: 'failed' },
    { seq: 2, id: idOf(2), occurred_at: at(2), state: 'dropped', type: 'asset.created' },
    { seq: 3, id: idOf(3), occurred_at: at(3), state: 'failed', type: 'asset.created' },
    { seq: 4, id: idOf(4), occurred_at: at(4) },
  ])
  const found = async (query: string) => seqsOf(await list(owner, query))
  expect(await found('?state=failed')).toEqual([3, 1])
  expect(await found('?state=failed&state=dropped')).toEqual([3, 2, 1])
  expect(await found('?type=asset.created&state=failed')).toEqual([3])
  expect(await found(`?from=${at(2)}`)).toEqual([4, 3, 2])
  expect(await found(`?from=${at(2)}&to=${at(3)}`)).toEqual([3, 2])
  const page = await list(owner, '?type=asset.created&limit=1')
  expect(await found(`?type=asset.created&limit=1&after=${page.cursor}`)).toEqual([2])
  const wrong = await list(owner, '?state=lost&type=asset.lost')
  expect(wrong.error.fields.map(({ code }: { code: string }) => code)).toEqual([
    'invalid_value',
    'invalid_value',
  ])
})

test('D13.11 garbage, and the cursor of another endpoint or organization, is refused', async ({
  database,
  owner,
  newOwner,
}) => {
  const further = await owner.endpoint()
  const theirs = await newOwner()
  for (const { orgId, webhookId } of [owner, { ...owner, webhookId: further }, theirs])
    await logDeliveries(database.db, { orgId, webhookId }, [{ seq: 1 }, { seq: 2 }])
  const { cursor } = await list(owner, '?limit=1')
  expect(await list(owner, `?limit=1&after=${cursor}`)).toMatchObject({ has_more: false })
  const others = [
    (await list({ ...owner, webhookId: further }, '?limit=1')).cursor,
    (await list(theirs, '?limit=1')).cursor,
    cursorOf(owner.orgId, 2),
    'x',
    '',
    'now',
  ]
  for (const after of others)
    expect((await list(owner, `?after=${after}`)).error, after).toMatchObject({
      status: 400,
      fields: [{ field: 'after', code: 'invalid_value' }],
    })
})

test('D13.11 one delivery also has what is sent and all attempts; body is null once the event is gone', async ({
  database: { db },
  owner,
}) => {
  const [gone, kept] = await owner.happen(2)
  if (!gone || !kept) throw new Error('two events are recorded')
  const log = [attemptAt(1, 500), attemptAt(2, 500), attemptAt(3)]
  await logDeliveries(db, owner, [
    { seq: gone.seq, id: gone.id },
    { seq: kept.seq, id: kept.id, log },
  ])
  await db.deleteFrom('event').where('org_id', '=', owner.orgId).where('seq', '=', gone.seq).execute()
  await db
    .updateTable('event_head')
    .set({ removed_seq: gone.seq })
    .where('org_id', '=', owner.orgId)
    .execute()
  const get = async (id: string) =>
    (await owner.ask('GET', `/webhook-endpoints/${owner.webhookId}/deliveries/${id}`)).json()
  expect((await get(kept.id)).data).toEqual({
    delivery_id: kept.id,
    type: 'asset.moved',
    occurred_at: '2026-11-21T10:00:00.500Z',
    state: 'delivered',
    next_attempt_at: null,
    last: log[2],
    attempts: log,
    body: {
      event: 'asset.moved',
      delivery_id: kept.id,
      occurred_at: '2026-11-21T10:00:00.500Z',
      data: { n: 1 },
    },
  })
  expect((await get(gone.id)).data).toMatchObject({ delivery_id: gone.id, body: null })
  expect((await get(randomUUID())).error.type).toBe('not_found')
  expect((await get('x')).error).toMatchObject({ status: 400, fields: [{ field: 'delivery_id' }] })
})

test('D13.11 a delivery of another endpoint or organization looks missing, and cannot be sent again', async ({
  database: { db },
  owner,
  newOwner,
}) => {
  const further = { ...owner, webhookId: await owner.endpoint() }
  const theirs = await newOwner()
  const [mine] = await owner.happen(1)
  const [other] = await theirs.happen(1)
  if (!mine || !other) throw new Error('events are recorded')
  await logDeliveries(db, owner, [{ seq: mine.seq, id: mine.id }])
  await logDeliveries(db, theirs, [{ seq: other.seq, id: other.id }])
  const tries = [
    [further.webhookId, mine.id],
    [owner.webhookId, other.id],
    [theirs.webhookId, other.id],
  ] as const
  for (const [webhookId, id] of tries) {
    const path = `/webhook-endpoints/${webhookId}/deliveries/${id}`
    expect((await owner.ask('GET', path)).statusCode, path).toBe(404)
    expect((await owner.ask('POST', `${path}/resend`)).statusCode, path).toBe(404)
    expect((await owner.ask('POST', `${path.replace('-endpoints', 's')}/resend`)).statusCode, path).toBe(404)
  }
  const rest = ['/deliveries', '/stats'].map((end) => `/webhook-endpoints/${theirs.webhookId}${end}`)
  for (const path of rest) expect((await owner.ask('GET', path)).statusCode, path).toBe(404)
  for (const { webhookId } of [owner, theirs])
    expect(await stored(db, { webhookId })).toMatchObject([{ state: 'delivered' }])
})
