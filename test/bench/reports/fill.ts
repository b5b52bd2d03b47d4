import pg from 'pg'
import { countsOf } from '../load/counts.ts'
import { ORG_ID } from './catalog-fill.ts'

/** Months of history. */
const MONTHS = 12
/** Assets that are read every minute for some days, like a beacon near a gateway. */
const ALWAYS_READ = { assets: 5, days: 60 }

/** Rows of history for each scanned asset, for about `rows` in all organizations. */
export function readsPerAsset(assets: number, rows: number): number {
  const scanned = assets * 2 * 0.95
  const reads = Math.round((rows - ALWAYS_READ.assets * ALWAYS_READ.days * 1_440) / scanned)
  if (reads < 1 || reads > 500) throw new Error(`${assets} assets cannot have ${rows} rows: 1 to 500 each`)
  return reads
}

/** Ids and keys of the measured organization, for questions. */
export type FilledHistory = {
  /** Rows of history in all organizations. */
  scans: number
  scannedIds: number[]
  scannedKeys: string[]
  alwaysReadIds: number[]
  /** Without sub-locations. */
  locationIds: number[]
  locationKeys: string[]
  /** One with an eighth of all as sub-locations. */
  hallId: number
  rootId: number
}

/**
 * Fills tracking to match `fillCatalog`: nineteen of twenty assets were read `reads` times over a year and moved with
 * every fifth read. Bypasses the slow triggers and writes their results. Continues an interrupted run. `url` is an
 * administrator's.
 */
export async function fillTracking(url: string, reads: number): Promise<FilledHistory> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    await admin.query('set search_path = tracking, extensions; set session_replication_role = replica')
    if (!(await isComplete(admin, reads))) await fillAll(admin, reads)
    return await readFilled(admin)
  } finally {
    await admin.end()
  }
}

/** Records the progress, and the reference time of all data. */
const PROGRESS = `
  create table if not exists bench_fill (moment timestamptz not null, reads int not null, done int not null, is_complete bool not null)`

async function isComplete(admin: pg.Client, reads: number): Promise<boolean> {
  await admin.query(PROGRESS)
  const { rows } = await admin.query<{ reads: number; is_complete: boolean }>('select * from bench_fill')
  const [found] = rows
  if (found && found.reads !== reads)
    throw new Error(`the data has ${found.reads} reads of each asset, not ${reads}`)
  if (!found) await begin(admin, reads)
  return found?.is_complete ?? false
}

/** Indexes are built after the rows, because those for substring search take minutes row by row. */
async function begin(admin: pg.Client, reads: number): Promise<void> {
  const { rows } = await admin.query<{ name: string; definition: string }>(INDEXES)
  const drops = rows.map(({ name }) => `drop index ${name}`)
  const steps = ['begin', ...drops, PROJECTIONS, ...rows.map((row) => row.definition), BEGUN(reads), 'commit']
  await admin.query(`set maintenance_work_mem = '1GB'`)
  await admin.query(steps.join(';'))
}

const INDEXES = `
  select i.relname as name, pg_get_indexdef(i.oid) as definition
  from pg_index x join pg_class i on i.oid = x.indexrelid
  where x.indrelid in ('asset'::regclass, 'tag'::regclass, 'location'::regclass) and not x.indisprimary`

async function fillAll(admin: pg.Client, reads: number): Promise<void> {
  await admin.query(`alter system set max_wal_size = '8GB'`) // fewer checkpoints, because each writes all pages again
  await admin.query('select pg_reload_conf()')
  await admin.query(SAMPLES)
  await fillScans(admin, reads)
  await admin.query(
    `begin; ${MOVEMENTS}; ${POSITIONS(reads)}; ${PLACES}; update bench_fill set is_complete = true; commit`,
  )
  await admin.query('vacuum analyze location, asset, tag, position, asset_place, scan, movement')
  await admin.query('checkpoint')
}

/** Builds the primary key at the end instead of row by row. */
async function fillScans(admin: pg.Client, reads: number): Promise<void> {
  await admin.query('alter table scan drop constraint if exists scan_pkey')
  for (let ago = 0; ago <= MONTHS; ago += 1) await admin.query(partition(ago))
  const { rows } = await admin.query<{ done: number }>('select done from bench_fill')
  for (let slot = rows[0]?.done ?? 0; slot < reads; slot += 1) await admin.query(SCANS(slot, reads))
  if ((rows[0]?.done ?? 0) <= reads) await admin.query(ALWAYS_READ_SCANS(reads))
  await admin.query(`set maintenance_work_mem = '1GB'`)
  await admin.query('alter table scan add primary key (org_id, asset_id, minute)')
}

/** Creates the partitions of a month, for scans and movements. */
export function partition(monthsAgo: number): string {
  const now = new Date()
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1))
  return `select make_scan_month('${start.toISOString().slice(0, 7)}')`
}

/** Copies what catalog has. One of twenty assets was never scanned. */
export const PROJECTIONS = `
  insert into location (org_id, id, revision, external_key, name, deleted_at)
  select org_id, id, revision, external_key, name, deleted_at from catalog.location;
  insert into asset (org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, is_scanned)
  select org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, id % 20 <> 0 from catalog.asset;
  insert into tag (org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at)
  select org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at from catalog.tag`

const BEGUN = (reads: number) => `
  insert into bench_fill values (now(), ${reads}, 0, false);
  create table bench_always_read as
    select org_id, id from asset where org_id = ${ORG_ID} and is_scanned and deleted_at is null and valid_to is null
    order by external_key limit ${ALWAYS_READ.assets}`

/** For this session. */
const SAMPLES = `
  create temp table place as
    select org_id, id, row_number() over (partition by org_id order by external_key) - 1 as n from location;
  alter table place add primary key (org_id, n);
  create temp table places as select org_id, count(*) as of from location group by org_id;
  analyze place, places, bench_always_read, asset`

/** Time and location of read `n` of `of` of asset `a`. Always the same. */
const READ = (n: number, of: number) => `
  cross join bench_fill
  cross join lateral (
    select date_trunc('milliseconds', moment - interval '365 days'
      * (1 - (${n} + (hashint8(a.id + ${n}) & 1023) / 1024.0) / ${of}))
  ) as t (read_at)
  join places on places.org_id = a.org_id
  join place on place.org_id = a.org_id and place.n = (hashint8(a.id # (${n} / 5)) & 2147483647) % places.of`

const SCANS = (n: number, of: number) => `
  begin;
  insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
  select a.org_id, a.id, date_trunc('minute', read_at), read_at, place.id, 'gate-1', 1
  from asset a ${READ(n, of)}
  where a.is_scanned and not exists (select from bench_always_read b where b.id = a.id);
  update bench_fill set done = ${n} + 1;
  commit`

const ALWAYS_READ_SCANS = (reads: number) => `
  begin;
  insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
  select org_id, id, minute, minute + interval '5 seconds', null, 'gate-1', 1
  from bench_always_read cross join bench_fill cross join generate_series(
    date_trunc('minute', moment) - interval '${ALWAYS_READ.days} days', date_trunc('minute', moment), '1 minute') as minute;
  update bench_fill set done = ${reads} + 1;
  commit`

/** The newest read of each asset; an asset without reads has a row without one. */
const POSITIONS = (reads: number) => `
  insert into position (org_id, asset_id, minute, observed_at, location_id, dwell_started_at, valid_from, valid_to, deleted_at)
  select a.org_id, a.id,
         case when not is_scanned then '-infinity' when b.id is null then date_trunc('minute', read_at)
           else date_trunc('minute', moment) end,
         case when not is_scanned then '-infinity' when b.id is null then read_at
           else date_trunc('minute', moment) + interval '5 seconds' end,
         case when is_scanned and b.id is null then place.id end,
         case when is_scanned and b.id is null then read_at - interval '1 hour' end, valid_from, valid_to, deleted_at
  from asset a ${READ(reads - 1, reads)}
  left join bench_always_read b on b.id = a.id
  order by hashint8(a.id)`

/** From the scans, once these have their key. An older commit that is compared may not have the table. */
export const MOVEMENTS = `
  do $$ begin
    if to_regclass('movement') is not null then
      insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
      select org_id, asset_id, minute, observed_at, before, location_id
      from (select *, lag(location_id) over (partition by org_id, asset_id order by minute) as before from scan) s
      where location_id is distinct from before and location_id is not null;
    end if;
  end $$`

/** From the positions. */
export const PLACES = `
  insert into asset_place (org_id, asset_id, location_id, valid_from, valid_to, deleted_at)
  select org_id, asset_id, location_id, valid_from, valid_to, deleted_at from position where minute > '-infinity';
  ${countsOf('is_scanned and deleted_at is null')}`

async function readFilled(admin: pg.Client): Promise<FilledHistory> {
  const { rows } = await admin.query<{ id: string; key: string; always: boolean }>(ASSETS)
  const locations = await admin.query<{ id: string; key: string; inside: string }>(LOCATIONS)
  const [root, hall] = locations.rows
  const leaves = locations.rows.filter(({ inside }) => inside === '0')
  const counted = await admin.query<{ scans: string }>(`
    select sum(reltuples)::bigint as scans from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent = 'scan'::regclass`)
  return {
    scans: Number(counted.rows[0]?.scans),
    scannedIds: rows.filter(({ always }) => !always).map(({ id }) => Number(id)),
    scannedKeys: rows.filter(({ always }) => !always).map(({ key }) => key),
    alwaysReadIds: rows.filter(({ always }) => always).map(({ id }) => Number(id)),
    locationIds: leaves.map(({ id }) => Number(id)),
    locationKeys: leaves.map(({ key }) => key),
    rootId: Number(root?.id),
    hallId: Number(hall?.id),
  }
}

/** A sample of assets that lists show. */
const ASSETS = `
  select a.id, external_key as key, b.id is not null as always
  from asset a left join bench_always_read b on b.id = a.id
  where a.org_id = ${ORG_ID} and is_scanned and deleted_at is null and (valid_to is null or valid_to > now())
  order by always desc, hashint8(a.id) limit 20000`

/** The root first, then its sub-locations. */
const LOCATIONS = `
  select l.id, external_key as key,
         (select count(*) from catalog.location c where c.org_id = l.org_id and c.parent_id = l.id) as inside
  from catalog.location l where org_id = ${ORG_ID} order by external_key`
