import pg from 'pg'
import { ORG_ID } from '../catalog/fill.ts'

/** Months of history. */
const MONTHS = 12
/** Read every minute for so long, as a beacon beside a gateway is. */
const ALWAYS_READ = { assets: 5, days: 60 }

/** What can be asked for, of the organization that is measured. */
export type FilledHistory = {
  /** Rows of history, of all organizations. */
  scans: number
  scannedIds: number[]
  scannedKeys: string[]
  alwaysReadIds: number[]
  /** Without locations inside them. */
  locationIds: number[]
  locationKeys: string[]
  /** One that holds an eighth of all. */
  hallId: number
  rootId: number
}

/**
 * Fills tracking with what it would know of a catalog that `fillCatalog` filled: nineteen of twenty assets were read
 * `scansPerAsset` times over a year, and moved with every fifth. Written past the triggers, which would take their
 * time, as they would leave it. `url` is an administrator's.
 */
export async function fillTracking(url: string, scansPerAsset: number): Promise<FilledHistory> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    await admin.query('set search_path = tracking, extensions; set session_replication_role = replica')
    await admin.query(PROJECTIONS)
    await fillScans(admin, scansPerAsset)
    await admin.query(POSITIONS, [scansPerAsset])
    await admin.query(PLACES)
    await admin.query('vacuum analyze location, asset, tag, position, asset_place, scan')
    return await readFilled(admin)
  } finally {
    await admin.end()
  }
}

/** Sorted into the index at once instead of row by row. */
async function fillScans(admin: pg.Client, scansPerAsset: number): Promise<void> {
  await admin.query('alter table scan drop constraint scan_pkey')
  for (let ago = 0; ago <= MONTHS; ago += 1) await admin.query(partition(ago))
  for (let slot = 0; slot < scansPerAsset; slot += 1) await admin.query(SCANS, [slot, scansPerAsset])
  await admin.query(ALWAYS_READ_SCANS)
  await admin.query(`set maintenance_work_mem = '512MB'`)
  await admin.query('alter table scan add primary key (org_id, asset_id, minute)')
}

function partition(monthsAgo: number): string {
  const now = new Date()
  const start = (n: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 1)).toISOString()
  const name = `scan_${start(monthsAgo).slice(0, 7).replace('-', '_')}`
  return `create table if not exists ${name} partition of scan
    for values from ('${start(monthsAgo)}') to ('${start(monthsAgo - 1)}')`
}

const PROJECTIONS = `
  insert into location (org_id, id, revision, external_key, name, deleted_at)
  select org_id, id, revision, external_key, name, deleted_at from catalog.location;
  insert into asset (org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, is_scanned)
  select org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, id % 20 <> 0 from catalog.asset;
  insert into tag (org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at)
  select org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at from catalog.tag;
  create temp table place as
    select org_id, id, row_number() over (partition by org_id order by external_key) - 1 as n from location;
  alter table place add primary key (org_id, n);
  create temp table places as select org_id, count(*) as of from location group by org_id;
  create temp table always_read as
    select org_id, id from asset where org_id = ${ORG_ID} and is_scanned and deleted_at is null and valid_to is null
    order by external_key limit ${ALWAYS_READ.assets};
  analyze place, places, always_read, asset`

/** Read \`n\` of \`of\` of asset \`a\`: when, and where. The same whenever it is computed. */
const READ = `
  cross join lateral (
    select date_trunc('milliseconds', now() - interval '365 days'
      * (1 - (slot.n + (hashint8(a.id + slot.n) & 1023) / 1024.0) / slot.of))
  ) as t (read_at)
  join places on places.org_id = a.org_id
  join place on place.org_id = a.org_id and place.n = (hashint8(a.id # (slot.n / 5)) & 2147483647) % places.of`

const SCANS = `
  insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
  select a.org_id, a.id, date_trunc('minute', read_at), read_at, place.id, 'gate-1', 1
  from asset a cross join (select $1::int as n, $2::int as of) as slot ${READ}
  where a.is_scanned and not exists (select from always_read b where b.id = a.id)`

const ALWAYS_READ_SCANS = `
  insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
  select org_id, id, minute, minute + interval '5 seconds', null, 'gate-1', 1
  from always_read cross join generate_series(
    date_trunc('minute', now()) - interval '${ALWAYS_READ.days} days', date_trunc('minute', now()), '1 minute') as minute`

/** The newest read of each; what was never read has a row without one. */
const POSITIONS = `
  insert into position (org_id, asset_id, minute, observed_at, location_id, dwell_started_at, valid_from, valid_to, deleted_at)
  select a.org_id, a.id,
         case when not is_scanned then '-infinity' when b.id is null then date_trunc('minute', read_at)
           else date_trunc('minute', now()) end,
         case when not is_scanned then '-infinity' when b.id is null then read_at else now() end,
         case when is_scanned and b.id is null then place.id end,
         case when is_scanned and b.id is null then read_at - interval '1 hour' end, valid_from, valid_to, deleted_at
  from asset a cross join (select $1::int - 1 as n, $1::int as of) as slot ${READ}
  left join always_read b on b.id = a.id
  order by hashint8(a.id)`

const PLACES = `
  insert into asset_place (org_id, asset_id, location_id, valid_from, valid_to, deleted_at)
  select org_id, asset_id, location_id, valid_from, valid_to, deleted_at from position where minute > '-infinity'`

async function readFilled(admin: pg.Client): Promise<FilledHistory> {
  const { rows } = await admin.query<{ id: string; key: string; always: boolean }>(ASSETS)
  const locations = await admin.query<{ id: string; key: string; inside: string; parent: string | null }>(
    LOCATIONS,
  )
  const [root, hall] = locations.rows
  const leaves = locations.rows.filter(({ inside }) => inside === '0')
  const counted = await admin.query<{ scans: string }>('select count(*) as scans from scan')
  return {
    scans: Number(counted.rows[0]?.scans),
    scannedIds: rows.map(({ id }) => Number(id)),
    scannedKeys: rows.map(({ key }) => key),
    alwaysReadIds: rows.filter(({ always }) => always).map(({ id }) => Number(id)),
    locationIds: leaves.map(({ id }) => Number(id)),
    locationKeys: leaves.map(({ key }) => key),
    rootId: Number(root?.id),
    hallId: Number(hall?.id),
  }
}

/** Some of those that lists show, wherever they lie. */
const ASSETS = `
  select a.id, external_key as key, b.id is not null as always
  from asset a left join always_read b on b.id = a.id
  where a.org_id = ${ORG_ID} and is_scanned and deleted_at is null and (valid_to is null or valid_to > now())
  order by always desc, hashint8(a.id) limit 20000`

/** The root first, then those inside it. */
const LOCATIONS = `
  select l.id, external_key as key, parent_id as parent,
         (select count(*) from catalog.location c where c.org_id = l.org_id and c.parent_id = l.id) as inside
  from catalog.location l where org_id = ${ORG_ID} order by external_key`
