import { sql, type Kysely } from 'kysely'

/**
 * A movement to the first row after the packed days comes from the last packed row. Each neighbor is looked up by key
 * (`offset 0`), see migration 0070.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function repair_movements(orgs bigint[], assets bigint[], minutes timestamptz[]) returns void
    language plpgsql set search_path from current as $$
    declare
      packed timestamptz := (select packed_until from history_packing);
    begin
      with changed as (
        select c.org_id, c.asset_id, c.minute from unnest(orgs, assets, minutes) as c (org_id, asset_id, minute)
      ), touched as materialized (
        select c.org_id, c.asset_id, c.minute from changed c
        union
        select c.org_id, c.asset_id, n.minute from changed c cross join lateral (
          select s.minute from scan s
          where s.org_id = c.org_id and s.asset_id = c.asset_id and s.minute > c.minute
          order by s.minute limit 1 offset 0) n
      ), steps as materialized (
        select t.org_id, t.asset_id, t.minute, s.observed_at, b.location_id as from_id, s.location_id as to_id
        from touched t cross join lateral (
          select s.observed_at, s.location_id from scan s
          where s.org_id = t.org_id and s.asset_id = t.asset_id and s.minute = t.minute offset 0) s
        left join lateral (
          (select b.location_id from scan b
           where b.org_id = t.org_id and b.asset_id = t.asset_id and b.minute < t.minute and b.minute >= packed
           order by b.minute desc limit 1 offset 0)
          union all
          (select d.last_location_id from day_packed d
           where d.org_id = t.org_id and d.asset_id = t.asset_id and isfinite(packed)
             and d.day < (packed at time zone 'UTC')::date
           order by d.day desc limit 1 offset 0)
          limit 1) b on true
      ), gone as (
        delete from movement m using steps s
        where m.org_id = s.org_id and m.asset_id = s.asset_id and m.minute = s.minute
          and (s.to_id is null or s.to_id is not distinct from s.from_id)
      )
      insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
      select s.org_id, s.asset_id, s.minute, s.observed_at, s.from_id, s.to_id from steps s
      where s.to_id is not null and s.to_id is distinct from s.from_id
      on conflict (org_id, asset_id, minute) do update set
        observed_at = excluded.observed_at, from_location_id = excluded.from_location_id,
        to_location_id = excluded.to_location_id;
    end $$`.execute(db)
}
