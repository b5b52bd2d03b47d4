import { expect } from 'vitest'
import { test } from '../../../test/catalog.fixture.ts'
import { dropQueuedStates } from '../states.ts'
import { findLost } from './lost.queries.ts'

test('states that the database lacks or has in an older revision are lost', async ({ catalog, otherOrg }) => {
  const { db } = catalog.database
  const kept = await catalog.asset()
  const { id, revision, org_id } = await db
    .selectFrom('asset')
    .select(['id', 'org_id', 'revision'])
    .where('id', '=', kept.id)
    .executeTakeFirstOrThrow()
  const same = { org_id, id, revision }
  const newer = { ...same, revision: revision + 1 }
  const unknown = { ...same, id: id + 1 }
  const elsewhere = { ...same, org_id: otherOrg }
  const older = { ...same, revision: revision - 1 }
  expect(await findLost(db, 'asset', [same, newer, unknown, elsewhere, older])).toEqual([
    newer,
    unknown,
    elsewhere,
  ])
  expect(await findLost(db, 'tag', [same])).toEqual([same])
  expect(await findLost(db, 'asset', [])).toEqual([])
})

test('states in a restored outbox are deleted, events and placements are not', async ({ catalog }) => {
  const { db, pool } = catalog.database
  await pool.query('delete from outbox')
  await catalog.asset()
  await pool.query(
    `insert into outbox (subject, msg_id, keep, payload, headers) values ('placements.1', 'p', 'all', '{"org_id": 0}', '{}')`,
  )
  await dropQueuedStates(db)
  const left = await db.selectFrom('outbox').select('subject').orderBy('id').execute()
  expect(left.map(({ subject }) => subject)).toEqual([
    `events.asset-created.${catalog.orgId}`,
    `audit.${catalog.orgId}`,
    'placements.1',
  ])
  await pool.query('delete from outbox')
})
