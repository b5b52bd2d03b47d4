import pg from 'pg'
import { countsOf } from '../load/counts.ts'

/**
 * Fills tracking to match `fillCatalog`, and writes the results of the triggers itself. Indexes are built after the rows,
 * because those for substring search take minutes row by row.
 */
export async function fillTracking(client: pg.Client, history: number, days: number): Promise<void> {
  await client.query(`set search_path = tracking, extensions; set maintenance_work_mem = '512MB'`)
  for (let ago = 0; ago <= Math.ceil(days / 28); ago += 1)
    await client.query('select make_scan_month($1)', [monthBefore(ago)])
  const { rows } = await client.query<{ name: string; definition: string }>(INDEXES)
  const drops = rows.map(({ name }) => `drop index ${name}`)
  const indexes = rows.map(({ definition }) => definition)
  await client.query([...drops, PROJECTIONS, ...indexes, PLACES_OF_ORGS].join(';'))
  await client.query('alter table scan drop constraint scan_pkey')
  const newest = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
  const step = Math.floor((days * 1_440) / history)
  for (let n = history - 1; n >= 0; n -= 1) await client.query(SCANS, [newest, n, step])
  await client.query('alter table scan add primary key (org_id, asset_id, minute)')
  await client.query(MOVEMENTS)
  await client.query(POSITIONS, [newest, step])
  await client.query(PLACES)
}

function monthBefore(months: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7)
}

const INDEXES = `
  select i.relname as name, pg_get_indexdef(i.oid) as definition
  from pg_index x join pg_class i on i.oid = x.indexrelid
  where x.indrelid in ('asset'::regclass, 'tag'::regclass, 'location'::regclass) and not x.indisprimary`

/** Copies what catalog has. One of twenty assets was never scanned. */
const PROJECTIONS = `
  insert into location (org_id, id, revision, external_key, name, deleted_at)
  select org_id, id, revision, external_key, name, deleted_at from catalog.location;
  insert into asset (org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, is_scanned)
  select org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, id % 20 <> 0 from catalog.asset;
  insert into tag (org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at)
  select org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at from catalog.tag`

/** For this session. */
const PLACES_OF_ORGS = `
  create temp table place as
    select org_id, id, row_number() over (partition by org_id order by external_key) - 1 as n,
           count(*) over (partition by org_id) as of from location;
  alter table place add primary key (org_id, n);
  analyze asset; analyze place`

/** One read of each asset, a step after the one before. It moves with every fifth. */
const SCANS = `
  insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
  select a.org_id, a.id, read_at, read_at + interval '5 seconds', place.id, 'gate-1', 1
  from asset a
  cross join lateral (select $1::timestamptz - ($2::int + 1) * $3::int * interval '1 minute') as t (read_at)
  join place as first on first.org_id = a.org_id and first.n = 0
  join place on place.org_id = a.org_id and place.n = (hashint8(a.id # ($2::int / 5)) & 2147483647) % first.of
  where a.is_scanned`

const POSITIONS = `
  insert into position (org_id, asset_id, minute, observed_at, location_id, dwell_started_at, valid_from, valid_to, deleted_at)
  select a.org_id, a.id, coalesce(s.minute, '-infinity'), coalesce(s.observed_at, '-infinity'), s.location_id,
         s.observed_at - interval '1 hour', a.valid_from, a.valid_to, a.deleted_at
  from asset a
  left join scan s on s.org_id = a.org_id and s.asset_id = a.id and s.minute = $1::timestamptz - $2::int * interval '1 minute'
  order by hashint8(a.id)`

/** From the scans, once these have their key. An older commit that is compared may not have the table. */
const MOVEMENTS = `
  do $$ begin
    if to_regclass('movement') is not null then
      insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
      select org_id, asset_id, minute, observed_at, before, location_id
      from (select *, lag(location_id) over (partition by org_id, asset_id order by minute) as before from scan) s
      where location_id is distinct from before and location_id is not null;
    end if;
  end $$`

/** From the positions. */
const PLACES = `
  insert into asset_place (org_id, asset_id, location_id, valid_from, valid_to, deleted_at)
  select org_id, asset_id, location_id, valid_from, valid_to, deleted_at from position where minute > '-infinity';
  ${countsOf('is_scanned and deleted_at is null')}`
