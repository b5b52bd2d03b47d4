import { MOST_REPLAYED } from '@whereabouts/contracts/resources/webhooks/deliveries'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { attemptAt, logDeliveries, stored, test, type Owner } from '../../test/deliveries.fixture.ts'
import { record, newEvent } from '../../test/events.fixture.ts'

const PATHS = ['/webhooks', '/webhook-endpoints'] as const
const ALWAYS = { from: '2020-01-01T00:00:00Z' }

const replay = async (
  { ask, webhookId }: Pick<Owner, 'ask' | 'webhookId'>,
  body: object,
  path: string = PATHS[1],
) => (await ask('POST', `${path}/${webhookId}/replay`, body)).json()

test.for(PATHS)(
  'D13.5 %s: a replay starts the events of the period again, both ends included, with their ids',
  async (path, { database: { db }, owner }) => {
    const events = await owner.happen(5)
    const [first, second, , fourth] = events
    if (!first || !second || !fourth) throw new Error('five events are recorded')
    const log = [attemptAt(1, 500), attemptAt(2)]
    await logDeliveries(
      db,
      owner,
      [
        { ...first, log },
        { ...second, log },
      ].map(({ seq, id }) => ({ seq, id, log })),
    )
    const reply = await owner.ask('POST', `${path}/${owner.webhookId}/replay`, {
      from: second.recorded_at,
      to: fourth.recorded_at,
    })
    expect(reply.statusCode).toBe(202)
    const within = events.filter(
      ({ recorded_at: at }) => at >= second.recorded_at && at <= fourth.recorded_at,
    )
    expect(reply.json()).toEqual({
      data: { count: within.length, oldest_occurred_at: '2026-11-21T10:00:00.500Z' },
    })
    const waiting = (await stored(db, owner)).filter(({ state }) => state === 'waiting')
    expect(waiting.map(({ seq, delivery_id }) => [seq, delivery_id])).toEqual(
      within.map(({ seq, id }) => [seq, id]),
    )
    expect(waiting.map(({ attempts }) => attempts)).toEqual(within.map(() => 0))
    const again = waiting.find(({ seq }) => seq === second.seq)
    expect(again).toMatchObject({ log, first_at: null })
    expect(waiting.every(({ next_attempt_at: at }) => at !== null && Date.parse(at) <= Date.now())).toBe(true)
  },
)

test('D13.5 a replay of nothing says so, and what the feed keeps no more is not in it', async ({ owner }) => {
  expect(await replay(owner, ALWAYS)).toEqual({ data: { count: 0, oldest_occurred_at: null } })
  await owner.happen(3)
  expect(await replay(owner, { from: '2100-01-01T00:00:00Z' })).toMatchObject({ data: { count: 0 } })
  expect(await replay(owner, { ...ALWAYS, to: '2020-01-02T00:00:00Z' })).toMatchObject({ data: { count: 0 } })
  expect(await replay(owner, ALWAYS)).toMatchObject({ data: { count: 3 } })
})

test('D13.5 three replays at once and one after another leave one delivery of each event', async ({
  database: { db },
  owner,
}) => {
  await owner.happen(30)
  const replies = await Promise.all([1, 2, 3].map(() => replay(owner, ALWAYS)))
  expect(replies.map(({ data }) => data.count)).toEqual([30, 30, 30])
  for (let round = 0; round < 3; round += 1) await replay(owner, ALWAYS)
  expect(await stored(db, owner)).toHaveLength(30)
})

test('D13.5 events that the webhook has not reached are counted, and left to come by themselves', async ({
  database: { db },
  owner,
}) => {
  const [move] = await owner.happen(1)
  await owner.change({ event_types: ['asset.moved', 'asset.created'] })
  const [created] = await owner.happen(1, { type: 'asset.created' })
  await owner.happen(2, { reached: false })
  await owner.happen(2, { type: 'asset.created', reached: false })
  expect(await replay(owner, ALWAYS)).toMatchObject({ data: { count: 6 } })
  expect((await stored(db, owner)).map(({ seq }) => seq)).toEqual([move?.seq, created?.seq])
})

test('D13.5 a webhook that was just switched on gets again what was recorded before', async ({
  database: { db },
  owner,
}) => {
  const before = await owner.happen(3)
  const after = (ms: number) => new Date(Date.parse(before[2]?.recorded_at ?? '') + ms).toISOString()
  await owner.change({ enabled_at: after(1), moves_position: null, others_position: null })
  await record(db, [newEvent(owner.orgId, 9)])
  await db
    .updateTable('event')
    .set({ recorded_at: after(2) })
    .where('org_id', '=', owner.orgId)
    .where('seq', '>', before[2]?.seq ?? 0)
    .execute()
  expect(await replay(owner, ALWAYS)).toMatchObject({ data: { count: 4 } })
  expect((await stored(db, owner)).map(({ seq }) => seq)).toEqual(before.map(({ seq }) => seq))
})

test('D13.5 event_types choose among those of the webhook; another one is refused', async ({
  database: { db },
  owner,
}) => {
  const endpoint = {
    ...owner,
    webhookId: await owner.endpoint({ event_types: ['asset.created', 'tag.attached'] }),
  }
  await owner.happen(2)
  const created = await owner.happen(2, { type: 'asset.created' })
  await owner.happen(1, { type: 'tag.attached' })
  expect(await replay(endpoint, { ...ALWAYS, event_types: ['asset.created'] })).toMatchObject({
    data: { count: 2 },
  })
  expect((await stored(db, endpoint)).map(({ seq }) => seq)).toEqual(created.map(({ seq }) => seq))
  expect(await replay(endpoint, ALWAYS)).toMatchObject({ data: { count: 3 } })
  const refused = await replay(endpoint, { ...ALWAYS, event_types: ['asset.created', 'asset.moved'] })
  expect(refused.error).toMatchObject({
    status: 400,
    fields: [{ field: 'event_types[1]', code: 'invalid_value' }],
  })
  expect(await stored(db, owner)).toEqual([])
})

test('D13.5 while it is off, nothing is sent again: 409', async ({ database: { db }, owner }) => {
  const [event] = await owner.happen(1)
  if (!event) throw new Error('an event is recorded')
  await logDeliveries(db, owner, [{ seq: event.seq, id: event.id }])
  await owner.change({ enabled: false })
  for (const path of PATHS) {
    const of = `${path}/${owner.webhookId}`
    for (const asked of [
      await owner.ask('POST', `${of}/replay`, ALWAYS),
      await owner.ask('POST', `${of}/deliveries/${event.id}/resend`),
    ])
      expect(asked.json().error).toMatchObject({ status: 409, type: 'conflict' })
  }
  expect(await stored(db, owner)).toMatchObject([{ state: 'delivered' }])
})

test('D13.5 another organization cannot replay, and a further endpoint is not the webhook', async ({
  database: { db },
  owner,
  newOwner,
}) => {
  const theirs = await newOwner()
  const further = await owner.endpoint()
  await theirs.happen(1)
  await owner.happen(1)
  for (const path of PATHS)
    expect((await replay({ ...owner, webhookId: theirs.webhookId }, ALWAYS, path)).error.status).toBe(404)
  expect((await replay({ ...owner, webhookId: further }, ALWAYS, '/webhooks')).error.status).toBe(404)
  expect(await stored(db, theirs)).toEqual([])
})

test.for(PATHS)(
  'D13.5 %s: resend starts one delivery again, as often as asked',
  async (path, { database: { db }, owner }) => {
    const [event, never] = await owner.happen(2)
    if (!event || !never) throw new Error('two events are recorded')
    const log = Array.from({ length: 150 }, (_, n) => attemptAt(n, 500))
    await logDeliveries(db, owner, [{ seq: event.seq, id: event.id, state: 'failed', log }])
    const resend = (id: string) => owner.ask('POST', `${path}/${owner.webhookId}/deliveries/${id}/resend`)
    for (let round = 0; round < 3; round += 1) {
      const reply = await resend(event.id)
      expect([reply.statusCode, reply.body]).toEqual([202, ''])
      expect(await stored(db, owner)).toMatchObject([
        { state: 'waiting', attempts: 0, log: log.slice(50), next_attempt_at: expect.any(String) },
      ])
      await db.updateTable('delivery').set({ state: 'failed' }).where('seq', '=', event.seq).execute()
    }
    expect((await resend(never.id)).statusCode).toBe(404)
    await db.deleteFrom('event').where('org_id', '=', owner.orgId).execute()
    expect((await resend(event.id)).statusCode).toBe(404)
  },
)

test('D13.13 a delivery that waits for another of its thing still does after a replay', async ({
  database: { db },
  owner,
}) => {
  await owner.change({ retry: 'extended' })
  const [one, two, three] = await owner.happen(3)
  if (!one || !two || !three) throw new Error('three events are recorded')
  await db
    .updateTable('event')
    .set({ data: sql`'{"asset":{"id":42}}'::json` })
    .where('org_id', '=', owner.orgId)
    .execute()
  const later = '2100-01-01T00:00:00.000Z'
  await logDeliveries(db, owner, [
    { seq: one.seq, id: one.id, state: 'waiting', next_attempt_at: later },
    { seq: two.seq, id: two.id, state: 'waiting', next_attempt_at: 'infinity', log: [] },
  ])
  await replay(owner, ALWAYS)
  const { rows } = await sql<{ is_held: boolean; thing: string | null }>`
    select next_attempt_at = 'infinity' as is_held, thing from delivery where webhook_id = ${owner.webhookId}
    order by seq`.execute(db)
  expect(rows.map(({ is_held: isHeld }) => isHeld)).toEqual([false, true, false])
  expect(rows[2]?.thing).toBe('asset 42')
})

test(
  'D13.5 100 000 events are replayed; one more is too_large and changes nothing',
  { timeout: 180_000 },
  async ({ database: { db }, owner }) => {
    await sql`insert into event (org_id, seq, id, type, occurred_at, recorded_at, data)
      select ${owner.orgId}, n, gen_random_uuid(), 'asset.moved', now(), '2026-11-21T10:00:00Z'::timestamptz + n * interval '1 ms', '{}'
      from generate_series(1, ${MOST_REPLAYED + 1}::int) n`.execute(db)
    await sql`insert into event_head (org_id, seq, recorded_at) values (${owner.orgId}, ${MOST_REPLAYED + 1}, now())`.execute(
      db,
    )
    await owner.change({ moves_position: MOST_REPLAYED + 1, others_position: MOST_REPLAYED + 1 })
    const refused = await replay(owner, ALWAYS)
    expect(refused.error).toMatchObject({ status: 400, fields: [{ field: 'from', code: 'too_large' }] })
    expect(await stored(db, owner)).toEqual([])
    const taken = await replay(owner, { from: '2026-11-21T10:00:00.002Z' })
    expect(taken).toMatchObject({ data: { count: MOST_REPLAYED } })
    const [{ count } = { count: 0 }] = await db
      .selectFrom('delivery')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('webhook_id', '=', owner.webhookId)
      .execute()
    expect(count).toBe(MOST_REPLAYED)
  },
)
