import { sql } from 'kysely'
import { expect } from 'vitest'
import { addDelivery, addWebhook, test as dispatcherTest } from '../../test/dispatcher.fixture.ts'

const [MINE, THEIRS] = [1, 2]
const tables = ['webhook', 'delivery_counter', 'delivery'] as const
/** Requests only read and delete it. */
const HOURS = 'delivery_hour'

/** Each organization has a row in each table. */
const test = dispatcherTest.extend<{ rows: undefined }>({
  rows: [
    async ({ database, tenants }, use) => {
      for (const orgId of [MINE, THEIRS]) {
        const { id } = await addWebhook(tenants.forOrg(orgId), orgId, 'https://example.com/')
        await addDelivery(database.db, orgId, id)
        await database.db.insertInto('delivery_counter').values({ org_id: orgId, attempts: 0 }).execute()
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

test('a statement on the hours without its organization reaches no other organization', async ({
  tenants,
}) => {
  expect(await tenants.forOrg(MINE).selectFrom(HOURS).select('org_id').execute()).toEqual([{ org_id: MINE }])
  const change = tenants.forOrg(MINE).updateTable(HOURS).set({ org_id: THEIRS }).execute()
  await expect(change).rejects.toThrow('permission denied')
})

test.for(['webhook', 'delivery', HOURS] as const)(
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
    [...tables, HOURS, 'delivery_attempt', 'event', 'event_head'].toSorted(),
  )
  expect(rows.filter((row) => !row.protected)).toEqual([])
})
