import { killDeleting, organizationRows } from '@whereabouts/testing/database/organization-rows'
import type { ServiceDatabase } from '@whereabouts/testing/database/database'
import { expect } from 'vitest'
import { test } from '../../test/dispatcher.fixture.ts'
import { answerErasure } from './erasures.responder.ts'

async function fill(pool: ServiceDatabase<unknown>['pool'], orgId: number, webhookId: number): Promise<void> {
  await pool.query(
    `insert into event (org_id, seq, id, type, occurred_at, recorded_at, data)
     select $1, i, gen_random_uuid(), 'asset.moved', now(), now(), '{}' from generate_series(1, 5000) i`,
    [orgId],
  )
  await pool.query('insert into event_head (org_id, seq, recorded_at) values ($1, 5000, now())', [orgId])
  await pool.query(
    `insert into delivery (org_id, webhook_id, seq, delivery_id, type, occurred_at, state, attempts, last_at)
     select $1, $2, i, gen_random_uuid(), 'asset.moved', now(), 'delivered', 1, now() from generate_series(1, 5000) i`,
    [orgId, webhookId],
  )
  await pool.query(`insert into delivery_hour values ($1, $2, date_trunc('hour', now()), 1, 0)`, [orgId, webhookId]) // oxfmt-ignore
}

test('D15.3 webhooks, deliveries and the feed of one organization go, over three kills; another keeps all', async ({
  database,
  dispatcher,
}) => {
  const [mine, theirs] = [910_001, 910_002]
  const api = dispatcher()
  for (const orgId of [mine, theirs]) {
    const body = { url: 'https://receiver.example/hook' }
    const made = await api.call(orgId, 'POST', '', body)
    await fill(database.pool, orgId, made.json().data.id)
  }
  const before = await organizationRows(database.pool, theirs)
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['delivery', 'delivery_hour', 'event', 'webhook']),
  )
  for (let kill = 0; kill < 3; kill += 1)
    await killDeleting(database.pool, answerErasure(database.db, { org_id: mine }))
  while ((await answerErasure(database.db, { org_id: mine })).left);
  expect(await organizationRows(database.pool, mine)).toEqual({})
  expect(await organizationRows(database.pool, theirs)).toEqual(before)
})
