import { sql, type Kysely } from 'kysely'
import { grantToTenant, protectByOrganization } from '../../src/row-security.ts'

/** The smallest table that belongs to organizations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await grantToTenant(db)
  await sql`create table note (org_id bigint not null, text text not null)`.execute(db) // granted by default privileges
  await protectByOrganization(db, ['note'])
}
