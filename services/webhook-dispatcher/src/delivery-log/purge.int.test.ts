import { sql } from 'kysely'
import { expect } from 'vitest'
import { logDeliveries, stored, test, type Owner } from '../../test/deliveries.fixture.ts'
import { purgeDeliveries } from './purge.loop.ts'

const day = (n: number) => new Date(Date.UTC(2026, 10, n)).toISOString()

/** Rows last attempted on these days of a month. */
const onDays = (days: readonly number[], more: object = {}) =>
  days.map((n, i) => ({ seq: i + 1, last_at: day(n), ...more }))

const left = async (db: Parameters<typeof stored>[0], owner: Pick<Owner, 'webhookId'>) =>
  (await stored(db, owner)).map(({ seq }) => seq)

test('D13.11 old deliveries go, in each endpoint; what waits stays however old it is', async ({
  database: { db, worker },
  owner,
  newOwner,
}) => {
  const other = await newOwner()
  await logDeliveries(db, owner, onDays([1, 2, 3, 4, 5]))
  await logDeliveries(db, other, [
    ...onDays([1, 2], { state: 'waiting' }),
    { seq: 3, state: 'dropped', last_at: day(1), log: [] },
    { seq: -1_000, last_at: day(1) },
    { seq: 4, last_at: day(4) },
  ])
  for (let turn = 0; turn < 3; turn += 1) await purgeDeliveries(worker.db, { before: day(3), rows: 100 })
  expect(await left(db, owner)).toEqual([3, 4, 5])
  expect(await left(db, other)).toEqual([1, 2, 4])
})

test('D13.11 an endpoint keeps its newest deliveries, whatever other endpoints have', async ({
  database: { db, worker },
  owner,
  newOwner,
}) => {
  const small = await newOwner()
  await logDeliveries(db, small, onDays([5, 6]))
  await logDeliveries(db, owner, [...onDays([9, 8, 7, 6, 5]), { seq: 6, state: 'waiting', last_at: day(1) }])
  for (let turn = 0; turn < 3; turn += 1) await purgeDeliveries(worker.db, { before: day(1), rows: 3 })
  expect(await left(db, owner)).toEqual([1, 2, 3, 6])
  expect(await left(db, small)).toEqual([1, 2])
})

test('D13.11 thousands go in batches, with two replicas at once', async ({
  database: { db, worker },
  owner,
}) => {
  await sql`insert into delivery (org_id, webhook_id, seq, delivery_id, type, occurred_at, state, attempts, last_at)
    select ${owner.orgId}, ${owner.webhookId}, n, gen_random_uuid(), 'asset.moved', now(), 'delivered', 1,
      '2026-11-01'::timestamptz + n * interval '1 second' from generate_series(1, 5000) n`.execute(db)
  const kept = { before: day(1), rows: 10 }
  await Promise.all([purgeDeliveries(worker.db, kept), purgeDeliveries(worker.db, kept)])
  await purgeDeliveries(worker.db, kept) // what both had skipped for each other
  expect(await left(db, owner)).toEqual(Array.from({ length: 10 }, (_, n) => 4_991 + n))
})

test('D13.13 what was written for a webhook while it was deleted goes, also what waits', async ({
  database: { db, worker },
  owner,
}) => {
  const further = { ...owner, webhookId: await owner.endpoint() }
  await logDeliveries(db, owner, onDays([1, 2], { state: 'waiting' }))
  await logDeliveries(db, further, onDays([1, 2]))
  const hours = sql`insert into delivery_hour (org_id, webhook_id, hour, delivered, failed) values
    (${owner.orgId}, ${owner.webhookId}, ${day(9)}, 1, 1), (${owner.orgId}, ${further.webhookId}, ${day(9)}, 1, 1),
    (${owner.orgId}, ${further.webhookId}, ${day(0)}, 1, 1)`
  await hours.execute(db)
  await db.deleteFrom('webhook').where('id', '=', owner.webhookId).execute()
  await purgeDeliveries(worker.db, { before: day(1), rows: 100 })
  expect(await left(db, owner)).toEqual([])
  expect(await left(db, further)).toEqual([1, 2])
  const counted = await db
    .selectFrom('delivery_hour')
    .select(['webhook_id', 'hour'])
    .where('org_id', '=', owner.orgId)
    .execute()
  expect(counted).toEqual([{ webhook_id: further.webhookId, hour: day(9) }])
})
