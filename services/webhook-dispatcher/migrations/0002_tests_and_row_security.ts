import { grantToTenant, protectByOrganization } from '@whereabouts/db/tenant/row-security'
import { sql, type Kysely } from 'kysely'

/** What is added may be left out by the release before this one, which goes on as the owner of the tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table delivery_counter add column tests_until timestamptz`.execute(db)
  await sql`alter table delivery_attempt add column is_test boolean not null default false`.execute(db)
  await grantToTenant(db)
  await protectByOrganization(db, ['webhook', 'delivery_counter', 'delivery_attempt'])
}
