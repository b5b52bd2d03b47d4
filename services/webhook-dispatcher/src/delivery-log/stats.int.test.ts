import { sql } from 'kysely'
import { expect } from 'vitest'
import { logDeliveries, test, type Owner } from '../../test/deliveries.fixture.ts'

const stats = async ({ ask }: Owner, id: number, query = '') =>
  (await ask('GET', `/webhook-endpoints/${id}/stats${query}`)).json()

test('each of the last hours has what was delivered and what failed, an hour without either too', async ({
  database: { db },
  owner,
  newOwner,
}) => {
  const theirs = await newOwner()
  for (const { orgId, webhookId } of [owner, theirs])
    await sql`insert into delivery_hour (org_id, webhook_id, hour, delivered, failed)
      select ${orgId}, ${webhookId}, date_trunc('hour', now()) - n * interval '1 hour', 100 + n, n
      from unnest('{0,2,167,168}'::int[]) n`.execute(db)
  const { data } = await stats(owner, owner.webhookId)
  expect(data.hours).toHaveLength(24)
  expect(data.hours.at(-1)).toMatchObject({ delivered: 100, failed: 0 })
  expect(data.hours.at(-2)).toMatchObject({ delivered: 0, failed: 0 })
  expect(data.hours.at(-3)).toMatchObject({ delivered: 102, failed: 2 })
  const week = (await stats(owner, owner.webhookId, '?hours=168')).data.hours
  expect(week).toHaveLength(168)
  expect(week[0]).toMatchObject({ delivered: 267, failed: 167 })
  for (const hours of [23, 169])
    expect((await stats(owner, owner.webhookId, `?hours=${hours}`)).error.fields[0].field).toBe('hours')
})

test('what waits is what has a further attempt, and the events that the endpoint wants and has not reached', async ({
  database: { db },
  owner,
  newOwner,
}) => {
  const id = await owner.endpoint({ event_types: ['asset.moved', 'asset.created'] })
  const theirs = await newOwner()
  await theirs.happen(7, { reached: false })
  await owner.happen(1)
  await owner.happen(3, { reached: false })
  await owner.happen(4, { type: 'asset.created', reached: false })
  await owner.happen(5, { type: 'tag.attached', reached: false })
  await logDeliveries(db, { ...owner, webhookId: id }, [
    { seq: 1, state: 'waiting' },
    { seq: 2, state: 'failed' },
  ])
  const waiting = async (of: number) => (await stats(owner, of)).data.waiting
  expect(await waiting(id)).toBe(8)
  expect(await waiting(owner.webhookId)).toBe(3)
  await owner.change({ event_types: ['tag.attached'] }, id)
  expect(await waiting(id)).toBe(6)
  await owner.change({ enabled: false }, id)
  expect(await waiting(id)).toBe(1)
})

test('it says since when attempts fail, and nothing once one succeeds', async ({
  database: { db },
  owner,
  newOwner,
}) => {
  const theirs = await newOwner()
  const since = '2026-11-21T10:00:00.000Z'
  const failingSince = async () => (await stats(owner, owner.webhookId)).data.failing_since
  expect(await failingSince()).toBeNull()
  await sql`update webhook set failing_since = ${since} where org_id = ${owner.orgId}`.execute(db)
  expect(await failingSince()).toBe(since)
  expect((await stats(theirs, theirs.webhookId)).data.failing_since).toBeNull()
  await sql`update webhook set failing_since = null where org_id = ${owner.orgId}`.execute(db)
  expect(await failingSince()).toBeNull()
})
