import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** Days without a login over NATS after which another organization may get the account. A connection ends after a day. */
const ACCOUNT_FREE_AFTER_DAYS = 30

/** Free accounts that are looked at. In few of them somebody is whom the database does not know of. */
const CANDIDATES = 20

/**
 * The number of the organization's broker account, below `accounts`. Assigns the lowest free one if it has none, or one that
 * the broker no longer has. Undefined if there is none for it. Half of the accounts are for organizations whose readers have
 * sent something, because anybody can sign up and log in.
 */
export async function readerAccountOf(
  db: Db,
  orgId: number,
  { accounts, isEmpty }: { accounts: number; isEmpty: (account: number) => boolean },
): Promise<number | undefined> {
  const known = await useReaderAccount(db, orgId, accounts)
  if (known !== undefined) return known
  // Before the lock, so that logins do not queue for it when nothing is free.
  if ((await findFreeAccounts(db, orgId, accounts)).length === 0) return undefined
  return db.transaction().execute(async (tx) => {
    // One at a time, or two organizations would get the same number.
    await sql`select pg_advisory_xact_lock(hashtext('org_reader_account'))`.execute(tx)
    // In others somebody is whom the database does not know of, for example after it was restored from a backup.
    const free = (await findFreeAccounts(tx, orgId, accounts)).find(isEmpty)
    if (free !== undefined)
      await sql`
        update org set reader_account = ${free}, reader_account_used_at = clock_timestamp()
        where id = ${orgId} and (reader_account is null or reader_account >= ${accounts})`.execute(tx)
    return useReaderAccount(tx, orgId, accounts) // another login of the organization may have been faster
  })
}

/** Notes the use, at most once an hour. The update and `freeReaderAccounts` wait for each other. */
async function useReaderAccount(db: Db, orgId: number, accounts: number): Promise<number | undefined> {
  const { rows } = await sql<{ reader_account: number; is_fresh: boolean }>`
    select reader_account,
      coalesce(reader_account_used_at > clock_timestamp() - interval '1 hour', false) as is_fresh
    from org where id = ${orgId} and reader_account < ${accounts}`.execute(db)
  if (!rows[0] || rows[0].is_fresh) return rows[0]?.reader_account
  const { rows: used } = await sql<{ reader_account: number }>`
    update org set reader_account_used_at = clock_timestamp()
    where id = ${orgId} and reader_account < ${accounts} returning reader_account`.execute(db)
  return used[0]?.reader_account
}

/** The lowest ones; none if the organization may not have one now. */
async function findFreeAccounts(db: Db, orgId: number, accounts: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select number from generate_series(0, ${accounts}::integer - 1) number
    where not exists (select from org where reader_account = number)
      and ((select count(*) from org where reader_account < ${accounts}::integer) * 2 < ${accounts}::integer
        or exists (select from api_key where org_id = ${orgId} and first_message_at is not null))
    order by number limit ${CANDIDATES}`.execute(db)
  return rows.map(({ number }) => number)
}

/**
 * Takes accounts back that no reader has used for 30 days. Returns their number, at most `limit`. All connections of
 * the organization ended with the day after its last login, so nobody of it is left in the account.
 */
export async function freeReaderAccounts(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update org set reader_account = null, reader_account_used_at = null where id in (
      select id from org
      where reader_account is not null
        and reader_account_used_at < clock_timestamp() - make_interval(days => ${ACCOUNT_FREE_AFTER_DAYS})
      limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
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
