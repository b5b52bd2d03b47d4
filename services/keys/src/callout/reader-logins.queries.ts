import { sql } from 'kysely'
import type { Db } from '../db.ts'

/** The number of the organization's broker account. Assigns the next free number if it has none. */
export async function readerAccountOf(db: Db, orgId: number): Promise<number> {
  const known = await findReaderAccount(db, orgId)
  if (known !== null) return known
  return db.transaction().execute(async (tx) => {
    // One at a time, or two organizations would get the same number.
    await sql`select pg_advisory_xact_lock(hashtext('org_reader_account'))`.execute(tx)
    await sql`
      update org set reader_account = (select coalesce(max(reader_account) + 1, 0) from org)
      where id = ${orgId} and reader_account is null`.execute(tx)
    const given = await findReaderAccount(tx, orgId)
    if (given === null) throw new Error(`organization ${orgId} got no broker account`)
    return given
  })
}

async function findReaderAccount(db: Db, orgId: number): Promise<number | null> {
  const { reader_account } = await db
    .selectFrom('org')
    .select('reader_account')
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow()
  return reader_account
}

/** The number of organizations with a broker account. */
export async function countReaderAccounts(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('org')
    .select((eb) => eb.fn.count<number>('reader_account').as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Days after which another organization may claim an unused MQTT client id: the broker has deleted its session. */
const FREE_AFTER_DAYS = 8

/**
 * Notes that an organization uses an MQTT client id. False when it is another organization's, which used it in the last
 * eight days.
 */
export async function claimClientId(db: Db, orgId: number, clientId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into mqtt_client as c (client_id, org_id) values (${clientId}, ${orgId})
    on conflict (client_id) do update set org_id = excluded.org_id, used_at = clock_timestamp()
      where c.org_id = excluded.org_id or c.used_at < clock_timestamp() - make_interval(days => ${FREE_AFTER_DAYS})
    returning 1`.execute(db)
  return rows.length > 0
}

/** Whether there is an organization of this number. */
export async function isOrganization(db: Db, orgId: number): Promise<boolean> {
  const row = await db.selectFrom('org').select('id').where('id', '=', orgId).executeTakeFirst()
  return row !== undefined
}

/** Client ids kept for an organization. Beyond that, the longest unused are deleted. */
const KEPT_PER_ORGANIZATION = 10_000

/** Deletes client ids that any organization may claim again. Returns their number, at most `limit` of each kind. */
export async function purgeClientIds(db: Db, limit: number): Promise<number> {
  const unused = await sql`
    delete from mqtt_client where client_id in (
      select client_id from mqtt_client
      where used_at < clock_timestamp() - make_interval(days => ${FREE_AFTER_DAYS}) order by used_at limit ${limit})`.execute(
    db,
  )
  const surplus = await sql`
    delete from mqtt_client where client_id in (
      select client_id from (
        select client_id, row_number() over (partition by org_id order by used_at desc) as place from mqtt_client
        where org_id in (
          select org_id from mqtt_client group by org_id having count(*) > ${KEPT_PER_ORGANIZATION})) ranked
      where place > ${KEPT_PER_ORGANIZATION} limit ${limit})`.execute(db)
  return Number(unused.numAffectedRows ?? 0) + Number(surplus.numAffectedRows ?? 0)
}
