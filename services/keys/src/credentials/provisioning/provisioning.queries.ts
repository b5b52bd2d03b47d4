import { sql } from 'kysely'
import type { Db, ProvisioningLinkRow, Tx } from '../../db.ts'

type NewLink = Pick<ProvisioningLinkRow, 'reader_key' | 'format' | 'token_hash' | 'created_by'>

const LIFE = sql<string>`clock_timestamp() + interval '24 hours'`
const isOpen = sql<boolean>`expires_at > clock_timestamp()`

export function insertLink(
  tx: Tx,
  orgId: number,
  link: NewLink,
): Promise<Pick<ProvisioningLinkRow, 'id' | 'expires_at'>> {
  return tx
    .insertInto('provisioning_link')
    .values({ org_id: orgId, ...link, expires_at: LIFE })
    .returning(['id', 'expires_at'])
    .executeTakeFirstOrThrow()
}

/** Call under `lockOrg`, so that two creations do not pass the limit. */
export async function countOpenLinks(tx: Tx, orgId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('provisioning_link')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where(isOpen)
    .executeTakeFirstOrThrow()
  return count
}

/** The organization of this token: the token does not name one. */
export async function findLinkOrg(db: Db, tokenHash: Buffer): Promise<number | undefined> {
  const link = await db
    .selectFrom('provisioning_link')
    .select('org_id')
    .where('token_hash', '=', tokenHash)
    .where(isOpen)
    .executeTakeFirst()
  return link?.org_id
}

/** Deletes an open link, to use it. Undefined if it is gone: of two callers, one wins. */
export function takeLink(tx: Tx, orgId: number, tokenHash: Buffer): Promise<ProvisioningLinkRow | undefined> {
  return tx
    .deleteFrom('provisioning_link')
    .where('org_id', '=', orgId)
    .where('token_hash', '=', tokenHash)
    .where(isOpen)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes at most `limit` rows and returns their number. */
export async function purgeExpiredLinks(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from provisioning_link where (org_id, id) in (
      select org_id, id from provisioning_link where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
