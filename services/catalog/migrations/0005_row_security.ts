import { grantToTenant, protectByOrganization } from '@whereabouts/db/tenant/row-security'
import type { Kysely } from 'kysely'

/** A statement that forgets the organization sees no rows of another one (ADR 17). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await grantToTenant(db)
  await protectByOrganization(db, ['location', 'asset', 'tag'])
}
