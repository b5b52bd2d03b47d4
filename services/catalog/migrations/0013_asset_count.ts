import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * The live assets of an organization are the sum of its rows in `asset_count` (ADR 71). Each change of `asset` inserts one,
 * so that no writer waits for another. `foldAssetCounts` replaces them by their sum.
 *
 * The first trigger locks `asset` (share row exclusive) until the transaction ends: that waits for open writes of replicas
 * and holds off new ones. So each asset is counted either here or by a trigger.
 * Deleting and restoring change one row at a time, and PostgreSQL has no trigger for a column with all rows of a statement.
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
    create function count_assets() returns trigger language plpgsql set search_path from current as $$
    begin
      case tg_op
        when 'INSERT' then
          insert into asset_count (org_id, n)
          select org_id, count(*) from changed where deleted_at is null group by org_id;
        when 'DELETE' then
          insert into asset_count (org_id, n)
          select org_id, -count(*) from changed where deleted_at is null group by org_id;
        when 'UPDATE' then
          insert into asset_count (org_id, n)
          select old.org_id, -1 where old.deleted_at is null
          union all select new.org_id, 1 where new.deleted_at is null;
        else truncate asset_count;
      end case;
      return null;
    end $$`.execute(db)
  const triggers = [
    'asset_added after insert on asset referencing new table as changed for each statement',
    'asset_removed after delete on asset referencing old table as changed for each statement',
    'asset_truncated after truncate on asset for each statement',
    `asset_deleted after update on asset for each row
      when ((old.deleted_at is null) <> (new.deleted_at is null) or old.org_id <> new.org_id)`,
  ]
  for (const trigger of triggers)
    await sql`create trigger ${sql.raw(trigger)} execute function count_assets()`.execute(db)
  await sql`insert into asset_count (org_id, n)
    select org_id, count(*) from asset where deleted_at is null group by org_id`.execute(db)
}
