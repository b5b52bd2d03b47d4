import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, exchangeKey } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import pg from 'pg'
import { countsOf } from '../load/counts.ts'
import { asAdministrator } from '../load/database.ts'
import { setLimits, untilLimited } from '../load/rate-limits.ts'
import { fillCatalog } from './catalog-fill.ts'
import { fillTracking } from './tracking-fill.ts'

/** `history`: rows of each asset, evenly over `days`. */
type Size = { organizations: number; assets: number; history: number; days: number }

export type Key = { clientId: string; clientSecret: string; headers: Record<string, string> }

type Named = { id: number; key: string }

export type Organization = {
  size: Size
  /** Their limits are above what any run reaches. */
  keys: Key[]
  /** A key of the first organization with a limit of one request a minute. */
  limitedKey: Key
  /** Of the live assets with history, a sample. */
  assets: Named[]
  /** Those that are written: few, so that each comes several times in a round and every write changes something. */
  writtenAssets: Named[]
  /** The root first, then those in it, up to eight. */
  locations: Named[]
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
    for (const id of ids) await fillCatalog(client, id, size.assets)
    await client.query(countsOf('deleted_at is null'))
    await fillTracking(client, size.history, size.days)
    const jtis = await fillKeys(client, ids.length)
    await client.query('vacuum analyze')
    await client.query('alter system reset max_wal_size')
    await client.query('select pg_reload_conf()')
    await client.query('checkpoint')
    await client.query(ANNOUNCE)
    return { jtis, assets: await namesOf(client, ASSETS), locations: await namesOf(client, LOCATIONS) }
  })
  const [limitedKey, ...keys] = await usableKeys(stack, filled.jtis)
  if (!limitedKey) throw new Error('no keys were created')
  const organizations = ids.map((id) => {
    const assets = filled.assets.get(id) ?? []
    return {
      size,
      assets,
      limitedKey,
      writtenAssets: assets.slice(0, Math.max(LEAST_WRITTEN, Math.floor(WRITTEN / ids.length))),
      keys: keys.filter((_, i) => i % ids.length === id - 1),
      locations: filled.locations.get(id) ?? [],
    }
  })
  for (const organization of organizations) await untilPlaced(stack, organization)
  return organizations
}

/** Resolves with the client ids of one key of the first organization, then of keys of all organizations in turn. */
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
       select 1 + greatest(i - 1, 0) % $1::int, i + 1, 'bench', $2, $3 from generate_series(0, $4::int) i returning id, jti)
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
  await setLimits(stack, new Map(jtis.map((jti, i) => [jti, i === 0 ? 1 : 10_000_000])))
  const anyone = createClient({ baseUrl: stack.urls.base })
  const keys: Key[] = []
  for (const clientId of jtis) {
    const key = { clientId, clientSecret: SECRET }
    const { access_token } = await exchangeKey(anyone, key)
    keys.push({ ...key, headers: { ...AGENT, authorization: `Bearer ${access_token}` } })
  }
  await untilLimited(stack, keys.slice(1).map(({ headers }) => headers)) // oxfmt-ignore
  return keys
}

/** Resolves when tracking knows the last location, which was announced last. */
async function untilPlaced({ urls }: Stack, { keys, locations }: Organization): Promise<void> {
  const last = locations.at(-1)?.key
  const url = `${urls.base}/api/v1/locations/current?limit=1&location=${last}`
  const isPlaced = async () => {
    const reply = await fetch(url, { headers: keys[0]?.headers ?? {} })
    return ((await reply.json()) as { total_count?: number }).total_count ?? 0
  }
  for (const until = Date.now() + GIVE_UP_MS; !(await isPlaced()); await wait(50))
    if (Date.now() > until) throw new Error(`tracking did not know ${last} after a minute`)
}
