import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * What each antenna stood for from an instant on: a read counts for the place that its antenna had at its time (D18.1).
 * Nulls for an antenna without a scan point; minus infinity for what was before the first change. Triggers write it, so
 * that changes by the release before this one are known too. The loop of the partitions deletes what is older than 8 days.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scan_point_change (
      org_id bigint not null,
      reader_key text not null,
      antenna integer not null,
      changed_at timestamptz not null,
      scan_point_id bigint,
      location_id bigint,
      primary key (org_id, reader_key, antenna, changed_at)
    )`.execute(db)
  await sql`create index scan_point_change_changed_at on scan_point_change (changed_at)`.execute(db)
  await openToRoles(db, { scan_point_change: { organization: 'org_id', worker: 'select' } })
  await createTriggers(db)
}

/** They run as the owner, because who changes a scan point must not write its past. */
async function createTriggers(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const asOwner = sql`security definer set search_path = ${sql.id(rows[0]?.schema ?? '')}, pg_temp`
  await sql`
    create function note_scan_point_change(
      of_org bigint, of_reader bigint, of_antenna integer, before scan_point, after scan_point
    ) returns void language plpgsql ${asOwner} as $$
    declare
      key text := (select reader_key from reader where org_id = of_org and id = of_reader);
    begin
      if key is null then
        return; -- its reader is being deleted, which has noted it
      end if;
      if before.id is not null then
        insert into scan_point_change
        select of_org, key, of_antenna, '-infinity', before.id, before.location_id
        where not exists (
          select from scan_point_change where org_id = of_org and reader_key = key and antenna = of_antenna);
      end if;
      insert into scan_point_change values (of_org, key, of_antenna, clock_timestamp(), after.id, after.location_id)
      on conflict (org_id, reader_key, antenna, changed_at)
      do update set scan_point_id = excluded.scan_point_id, location_id = excluded.location_id;
    end $$`.execute(db)
  await sql`revoke all on function note_scan_point_change from public`.execute(db)
  await sql`
    create function scan_point_changed() returns trigger language plpgsql ${asOwner} as $$
    begin
      if tg_op = 'UPDATE' and old.antenna = new.antenna then
        perform note_scan_point_change(new.org_id, new.reader_id, new.antenna, old, new);
        return null;
      end if;
      if tg_op <> 'INSERT' then
        perform note_scan_point_change(old.org_id, old.reader_id, old.antenna, old, null);
      end if;
      if tg_op <> 'DELETE' then
        perform note_scan_point_change(new.org_id, new.reader_id, new.antenna, null, new);
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger scan_point_changed after insert or delete on scan_point
    for each row execute function scan_point_changed()`.execute(db)
  await sql`
    create trigger scan_point_moved after update of antenna, location_id on scan_point
    for each row when (old.antenna <> new.antenna or old.location_id is distinct from new.location_id)
    execute function scan_point_changed()`.execute(db)
  // Its scan points are deleted after it, when its key is gone.
  await sql`
    create function reader_deleted() returns trigger language plpgsql ${asOwner} as $$
    declare
      point scan_point;
    begin
      for point in select * from scan_point where org_id = old.org_id and reader_id = old.id loop
        perform note_scan_point_change(old.org_id, old.id, point.antenna, point, null);
      end loop;
      return old;
    end $$`.execute(db)
  await sql`
    create trigger reader_deleted before delete on reader
    for each row execute function reader_deleted()`.execute(db)
}
