import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, exchangeKey } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/local/stack'
import pg from 'pg'
import { countsOf } from '../load/counts.ts'
import { asAdministrator } from '../load/database.ts'
import { setLimits, untilLimited } from '../load/rate-limits.ts'
import { fillOrganization, sizeOf } from '../reports/catalog-fill.ts'
import { MOVEMENTS, partition, PLACES, PROJECTIONS } from '../reports/fill.ts'

type Size = { organizations: number; assets: number; history: number }

/** An API key with a limit that no run reaches. */
export type Key = { clientId: string; clientSecret: string; headers: Record<string, string> }

type Asset = { id: number; key: string }

export type Organization = {
  keys: Key[]
  /** Of the live assets with history, a sample. */
  assets: Asset[]
  /** Those that are written: few, so that each comes several times in a round and every write changes something. */
  writtenAssets: Asset[]
  locationKeys: string[]
  rootId: number
}

export const AGENT = { 'user-agent': 'whereabouts-bench/1' }
const SCOPES = ['assets:read', 'assets:write', 'locations:read', 'scans:read', 'scans:write']
const SECRET = `wb_${'5'.repeat(64)}`
/** In all organizations, at least one in each. */
const KEYS = 16
const SAMPLE = 10_000
/** In all organizations: more than the usual connections, fewer than the requests of a round. */
const WRITTEN = 100
const LEAST_WRITTEN = 10
const GIVE_UP_MS = 60_000

/**
 * Fills catalog, tracking and keys by SQL. Only locations are announced: tracking looks them up in memory, and asks catalog
 * for each asset anyway.
 */
export async function fill(stack: Stack, size: Size): Promise<Organization[]> {
  const ids = Array.from({ length: size.organizations }, (_, i) => i + 1)
  const filled = await asAdministrator(stack, async (client) => {
    // Without triggers and checks of foreign keys, and with fewer checkpoints, because each writes all pages again.
    await client.query(`alter system set max_wal_size = '8GB'`)
    await client.query('select pg_reload_conf()')
    await client.query('set session_replication_role = replica; set search_path = catalog, extensions')
    for (const id of ids) await fillOrganization(client, id, sizeOf(size.assets))
    await client.query(countsOf('deleted_at is null'))
    await fillTracking(client, size.history)
    const jtis = await fillKeys(client, ids.length)
    await client.query('vacuum analyze')
    await client.query('alter system reset max_wal_size')
    await client.query('select pg_reload_conf()')
    await client.query('checkpoint')
    await client.query(ANNOUNCE)
    return { jtis, assets: await namesOf(client, ASSETS), locations: await namesOf(client, LOCATIONS) }
  })
  const keys = await usableKeys(stack, filled.jtis)
  const organizations = ids.map((id) => {
    const assets = filled.assets.get(id) ?? []
    const locations = filled.locations.get(id) ?? []
    return {
      assets,
      writtenAssets: assets.slice(0, Math.max(LEAST_WRITTEN, Math.floor(WRITTEN / ids.length))),
      keys: keys.filter((_, i) => i % ids.length === id - 1),
      locationKeys: locations.map(({ key }) => key),
      rootId: locations[0]?.id ?? 0,
    }
  })
  for (const organization of organizations) await untilPlaced(stack, organization)
  return organizations
}

/** Writes the results of the triggers itself. The key of `scan` is built at the end. */
async function fillTracking(client: pg.Client, history: number): Promise<void> {
  await client.query('set search_path = tracking, extensions')
  await client.query(
    `${partition(1)}; alter table scan drop constraint scan_pkey; ${PROJECTIONS}; ${PLACES_OF_ORGS}`,
  )
  const newest = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
  for (let n = history - 1; n >= 0; n -= 1) await client.query(SCANS, [newest, n])
  await client.query(
    `set maintenance_work_mem = '512MB'; alter table scan add primary key (org_id, asset_id, minute)`,
  )
  await client.query(MOVEMENTS)
  await client.query(POSITIONS, [newest])
  await client.query(PLACES)
}

/** For this session. */
const PLACES_OF_ORGS = `
  create temp table place as
    select org_id, id, row_number() over (partition by org_id order by external_key) - 1 as n,
           count(*) over (partition by org_id) as of from location;
  alter table place add primary key (org_id, n);
  analyze asset; analyze place`

/** One read of each asset, twenty minutes after the one before. It moves with every fifth. */
const SCANS = `
  insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
  select a.org_id, a.id, read_at, read_at + interval '5 seconds', place.id, 'gate-1', 1
  from asset a
  cross join lateral (select $1::timestamptz - ($2::int + 1) * interval '20 minutes') as t (read_at)
  join place as first on first.org_id = a.org_id and first.n = 0
  join place on place.org_id = a.org_id and place.n = (hashint8(a.id # ($2::int / 5)) & 2147483647) % first.of
  where a.is_scanned`

const POSITIONS = `
  insert into position (org_id, asset_id, minute, observed_at, location_id, dwell_started_at, valid_from, valid_to, deleted_at)
  select a.org_id, a.id, coalesce(s.minute, '-infinity'), coalesce(s.observed_at, '-infinity'), s.location_id,
         s.observed_at - interval '1 hour', a.valid_from, a.valid_to, a.deleted_at
  from asset a
  left join scan s on s.org_id = a.org_id and s.asset_id = a.id and s.minute = $1::timestamptz - interval '20 minutes'
  order by hashint8(a.id)`

/** Resolves with the client ids of the keys, those of all organizations in turn. */
async function fillKeys(client: pg.Client, organizations: number): Promise<string[]> {
  await client.query('set search_path = keys, extensions')
  await client.query(
    `insert into org (id, name) select i, 'Bench ' || i from generate_series(1, $1::int) i`,
    [organizations],
  )
  const hash = createHash('sha256').update(SECRET).digest()
  const { rows } = await client.query<{ jti: string }>(
    `with key as (
       insert into api_key (org_id, id, name, scopes, secret_hash)
       select 1 + i % $1::int, i + 1, 'bench', $2, $3 from generate_series(0, $4::int - 1) i returning id, jti)
     select jti from key order by id`,
    [organizations, SCOPES, hash, organizations * Math.ceil(KEYS / organizations)],
  )
  return rows.map(({ jti }) => jti)
}

/** As catalog publishes them, in its order: the last one comes last. */
const ANNOUNCE = `
  insert into catalog.outbox (subject, msg_id, keep, payload, headers)
  select 'catalog.location.' || org_id || '.' || id, gen_random_uuid(), 'last', to_jsonb(location), '{}'
  from catalog.location order by org_id, external_key`

const ASSETS = `
  select org_id as org, id, external_key as key
  from (select *, row_number() over (partition by org_id order by hashint8(id)) as n from tracking.asset
        where is_scanned and deleted_at is null and (valid_to is null or valid_to > now())) a
  where n <= ${SAMPLE} / (select count(*) from keys.org)`
/** The root first. */
const LOCATIONS =
  'select org_id as org, id, external_key as key from catalog.location order by org_id, external_key'

/** Grouped by organization. */
async function namesOf(client: pg.Client, statement: string) {
  const { rows } = await client.query<{ org: string; id: string; key: string }>(statement)
  return Map.groupBy(rows.map(({ org, id, key }) => ({ org, id: Number(id), key })), ({ org }) => Number(org)) // oxfmt-ignore
}

async function usableKeys(stack: Stack, jtis: readonly string[]): Promise<Key[]> {
  await setLimits(stack, new Map(jtis.map((jti) => [jti, 10_000_000])))
  const anyone = createClient({ baseUrl: stack.urls.base })
  const keys: Key[] = []
  for (const clientId of jtis) {
    const key = { clientId, clientSecret: SECRET }
    const { access_token } = await exchangeKey(anyone, key)
    keys.push({ ...key, headers: { ...AGENT, authorization: `Bearer ${access_token}` } })
  }
  await untilLimited(stack, keys.map(({ headers }) => headers)) // oxfmt-ignore
  return keys
}

/** Resolves when tracking knows the last location, which was announced last. */
async function untilPlaced({ urls }: Stack, { keys, locationKeys }: Organization): Promise<void> {
  const last = locationKeys.at(-1)
  const url = `${urls.base}/api/v1/locations/current?limit=1&location=${last}`
  const isPlaced = async () => {
    const reply = await fetch(url, { headers: keys[0]?.headers ?? {} })
    return ((await reply.json()) as { total_count?: number }).total_count ?? 0
  }
  for (const until = Date.now() + GIVE_UP_MS; !(await isPlaced()); await wait(50))
    if (Date.now() > until) throw new Error(`tracking did not know ${last} after a minute`)
}
