import { grantToTenant, protectByOrganization } from '@whereabouts/db/row-security'
import type { Kysely } from 'kysely'

/** A statement without the organization sees no rows of another one (ADR 17). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await grantToTenant(db)
  await protectByOrganization(db, ['location', 'asset', 'tag'])
}
