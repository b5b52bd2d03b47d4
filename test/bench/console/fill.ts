import { setTimeout as wait } from 'node:timers/promises'
import { createClient, unwrap } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import type { Organization } from '../../system/organization.ts'
import { asAdministrator } from '../load/database.ts'
import { AGENT } from '../requests/fill.ts'

type Size = { assets: number; locations: number; minutesBetweenMoves: number }

export type FloorData = {
  /** The day before today (UTC), whose movements are filled. */
  day: string
  moves: number
  /** Moves `count` assets, others each time, to a location that follows from `n`. */
  save: (org: Organization, n: number, count: number) => Promise<void>
}

const DAY_MS = 86_400_000
const MOST_IN_A_SAVE = 500

/** Assets and locations by the API, their movements of the last day by SQL. */
export async function fillFloor(stack: Stack, org: Organization, size: Size): Promise<FloorData> {
  await importRows(stack, org, 'locations', size.locations, 'LOC')
  await importRows(stack, org, 'assets', size.assets, 'ASSET')
  const key = (n: number) => `ASSET-${n % size.assets}`
  const save = async (to: Organization, n: number, count: number) => {
    const asset_identifiers = Array.from({ length: count }, (_, i) => key(n * count + i))
    const body = { asset_identifiers, location_identifier: `LOC-${(n * 7) % size.locations}` }
    unwrap(await to.admin.POST('/api/v1/inventory/save', { body }))
  }
  const perSave = Math.min(MOST_IN_A_SAVE, Math.ceil(size.assets / size.locations))
  for (let n = 0; n * perSave < size.assets; n += 1) await save(org, n, perSave)
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const day = new Date(today - DAY_MS).toISOString().slice(0, 10)
  const moves = await asAdministrator(stack, async (client) => {
    await client.query('set search_path = tracking, extensions')
    await client.query('select make_scan_month($1)', [day.slice(0, 7)])
    const { rowCount } = await client.query(MOVEMENTS, [org.id, day, size.minutesBetweenMoves])
    return rowCount ?? 0
  })
  return { day, moves, save }
}

/** Each asset moves at its own minute of every so many. */
const MOVEMENTS = `
  with place as (
    select id, row_number() over (order by id) - 1 as n, count(*) over () as of from location where org_id = $1
  ), step as (
    select a.asset_id, i, $2::timestamptz + i * $3::int * interval '1 minute'
             + (a.asset_id % $3::int) * interval '1 minute' as minute
    from position a cross join generate_series(0, 1440 / $3::int - 1) i where a.org_id = $1
  )
  insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
  select $1, s.asset_id, s.minute, s.minute + (s.asset_id % 60) * interval '1 second', f.id, t.id
  from step s
  join place f on f.n = (s.asset_id + s.i) % f.of
  join place t on t.n = (s.asset_id + s.i + 1) % t.of`

const MOST_IN_AN_IMPORT = 100_000

/** Assets alone, for searches. */
export async function fillAssets(stack: Stack, org: Organization, count: number): Promise<void> {
  for (let from = 0; from < count; from += MOST_IN_AN_IMPORT)
    await importRows(stack, org, 'assets', Math.min(MOST_IN_AN_IMPORT, count - from), 'ASSET', from)
}

async function importRows(
  { urls }: Stack,
  { admin, login }: Organization,
  resource: 'assets' | 'locations',
  count: number,
  prefix: string,
  from = 0,
): Promise<void> {
  const rows = Array.from(
    { length: count },
    (_, i) => `${prefix}-${from + i},${prefix.toLowerCase()} ${from + i}`,
  )
  const anyone = createClient({ baseUrl: urls.base })
  const { access_token: token } = unwrap(await anyone.POST('/api/v1/auth/login', { body: login })).data
  const response = await fetch(`${urls.base}/api/v1/imports?resource=${resource}&dry_run=false`, {
    method: 'POST',
    headers: { ...AGENT, 'content-type': 'text/csv', authorization: `Bearer ${token}` },
    body: ['external_key,name', ...rows].join('\n'),
  })
  const { data } = (await response.json()) as { data: { id: number } }
  const params = { path: { import_id: data.id } }
  const state = async () => unwrap(await admin.GET('/api/v1/imports/{import_id}', { params })).data.state
  while ((await state()) !== 'done') await wait(100)
}
