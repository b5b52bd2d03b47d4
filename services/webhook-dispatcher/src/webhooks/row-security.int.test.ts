import { sql } from 'kysely'
import { expect } from 'vitest'
import { addWebhook, test as dispatcherTest } from '../../test/dispatcher.fixture.ts'
import { recordAttempt } from '../delivery-log/delivery-log.queries.ts'

const [MINE, THEIRS] = [1, 2]
const tables = ['webhook', 'delivery_counter', 'delivery_attempt'] as const

/** Each organization has a row in each table. */
const test = dispatcherTest.extend<{ rows: undefined }>({
  rows: [
    async ({ tenants }, use) => {
      for (const orgId of [MINE, THEIRS]) {
        const { id } = await addWebhook(tenants.forOrg(orgId), orgId, 'https://example.com/')
        await recordAttempt(tenants.forOrg(orgId), orgId, {
          webhook_id: id,
          delivery_id: '6f1c7c52-8f0e-5d55-9d0c-3a1f0a3c9f10',
          attempt: 1,
          attempted_at: '2026-11-21T10:00:00.000Z',
          outcome: 'delivered',
          status_code: 204,
          latency_ms: 5,
          error: null,
          test: false,
        })
      }
      await use(undefined)
    },
    { scope: 'file', auto: true },
  ],
})

test.for(tables)(
  'a statement on %s without its organization reaches no other organization',
  async (table, { tenants }) => {
    const mine = tenants.forOrg(MINE)
    expect(await mine.selectFrom(table).select('org_id').execute()).toEqual([{ org_id: MINE }])
    await mine
      .updateTable(table)
      .set({ org_id: THEIRS })
      .execute()
      .then(
        () => expect.unreachable('a row was moved to another organization'),
        (error: Error) => expect(error.message).toContain('row-level security'),
      )
  },
)

test.for(['webhook', 'delivery_attempt'] as const)(
  'a deletion from %s without its organization reaches no other organization',
  async (table, { database, tenants }) => {
    await tenants.forOrg(MINE).deleteFrom(table).execute()
    const left = await database.db.selectFrom(table).select('org_id').execute()
    expect(left).toEqual([{ org_id: THEIRS }])
  },
)

test('a counter cannot be deleted', async ({ tenants }) => {
  const deletion = tenants.forOrg(MINE).deleteFrom('delivery_counter').execute()
  await expect(deletion).rejects.toThrow('permission denied')
})

test('every table with an organization has row security', async ({ database }) => {
  const { rows } = await sql<{ table: string; protected: boolean }>`
    select c.relname as table, c.relrowsecurity as protected from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`.execute(database.db)
  expect(rows.map((row) => row.table).toSorted()).toEqual(
    [...tables, 'delivery', 'delivery_hour', 'event', 'event_head'].toSorted(),
  )
  expect(rows.filter((row) => !row.protected)).toEqual([])
})
