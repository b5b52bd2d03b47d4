import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * The scanned assets of an organization that are not deleted are the sum of its rows in `asset_count`, as in catalog
 * (ADR 71). Each change of `asset` inserts one. An asset is scanned for the first time once, so a trigger for each row
 * is enough.
 *
 * The first trigger locks `asset` (share row exclusive) until the transaction ends: that waits for open writes of replicas
 * and holds off new ones. So each asset is counted either here or by a trigger.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table asset_count (
      org_id bigint not null,
      id bigint not null generated always as identity,
      n bigint not null,
      primary key (org_id, id)
    )`.execute(db)
  await openToRoles(db, {
    asset_count: {
      organization: 'org_id',
      tenant: 'select, insert',
      worker: 'select, insert, update, delete', // update: to lock rows
    },
  })
  await sql`
    create function count_scanned() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op = 'TRUNCATE' then
        truncate asset_count;
      else
        insert into asset_count (org_id, n)
        select old.org_id, -1 where old.is_scanned and old.deleted_at is null
        union all select new.org_id, 1 where new.is_scanned and new.deleted_at is null;
      end if;
      return null;
    end $$`.execute(db)
  const triggers = [
    'asset_counted_in after insert on asset for each row when (new.is_scanned and new.deleted_at is null)',
    'asset_counted_out after delete on asset for each row when (old.is_scanned and old.deleted_at is null)',
    `asset_counted after update on asset for each row when (old.org_id <> new.org_id
      or (old.is_scanned and old.deleted_at is null) <> (new.is_scanned and new.deleted_at is null))`,
    'asset_counts_emptied after truncate on asset for each statement',
  ]
  for (const trigger of triggers)
    await sql`create trigger ${sql.raw(trigger)} execute function count_scanned()`.execute(db)
  await sql`insert into asset_count (org_id, n)
    select org_id, count(*) from asset where is_scanned and deleted_at is null group by org_id`.execute(db)
}
