import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { newLocation, newOrganization, newReader, type Organization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

/** The longer history is, the longer it takes: both numbers can be raised to those of a real organization. */
const ASSETS = Number(process.env['DELETED_ASSETS'] ?? 20_000)
const DAYS = Number(process.env['DELETED_DAYS'] ?? 60)
const BATCH = 500
const UNTIL_ERASED = { timeout: 3_600_000, interval: 1_000 }

let system: System
let database: Client
beforeAll(async () => {
  system = await startSystem()
  database = new Client({ connectionString: databaseUrl(system.stack.urls.postgres) })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await system.stop()
})

const databaseUrl = (server: string) => Object.assign(new URL(server), { pathname: '/whereabouts' }).href

async function fill(org: Organization, assets: number): Promise<void> {
  const batches = Array.from({ length: Math.ceil(assets / BATCH) }, (_, batch) =>
    Array.from({ length: Math.min(BATCH, assets - batch * BATCH) }, (_item, n) => {
      const key = `A-${batch * BATCH + n}`
      return { external_key: key, name: key, tags: [{ tag_type: 'barcode' as const, value: key }] }
    }),
  ).values()
  const worker = async () => {
    for (const items of batches) unwrap(await org.admin.POST('/api/v1/assets/batch', { body: { items } }))
  }
  await Promise.all([worker(), worker(), worker()])
}

/** Tracking makes those of the present and the future; nothing was ever stored in the past of this database. */
const makeOldPartitions = () =>
  database.query(`do $$ declare month date; begin
    for month in select generate_series(date_trunc('month', current_date - ${DAYS}), date_trunc('month', current_date), interval '1 month')
    loop
      begin
        execute format('create table tracking.%I partition of tracking.day_packed for values from (%L) to (%L)',
          'old_packed_' || to_char(month, 'YYYY_MM'), month, (month + interval '1 month')::date);
      exception when invalid_object_definition then null; -- it is there
      end;
    end loop;
  end $$`)

/** A row for each asset and day, as tracking packs them. */
const pack = (orgId: number) =>
  database.query(
    `insert into tracking.day_packed
       (org_id, asset_id, first_location_id, last_location_id, first_at, last_at, day, n, seen, detail)
     select $1, id, 1, 1, day, day, day::date, 480, convert_to(repeat('s', 60), 'UTF8'), convert_to(repeat('d', 80), 'UTF8')
     from catalog.asset, generate_series(current_date - $2::integer, current_date - 1, interval '1 day') day
     where org_id = $1`,
    [orgId, DAYS],
  )

const TABLES = ['catalog.asset', 'catalog.tag', 'tracking.day_packed'] as const
async function rowsOf(orgId: number): Promise<number[]> {
  const counts: number[] = []
  for (const table of TABLES) {
    const { rows } = await database.query<{ n: string }>(
      `select count(*) as n from ${table} where org_id = $1`,
      [orgId],
    )
    counts.push(Number(rows[0]?.n))
  }
  return counts
}

/** How long reads of the organization take, in ms, while `until` is not over. */
async function timeReads(org: Organization, until: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!until()) {
    const startedAt = performance.now()
    const answer = await org.admin.GET('/api/v1/assets', { params: { query: { limit: 50 } } })
    expect(answer.response.status).toBe(200)
    times.push(performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 100)) // a person who looks at a list
  }
  return times.toSorted((a, b) => a - b)
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? 0
const shown = (times: readonly number[]) =>
  `p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms, longest ${quantile(times, 1).toFixed(0)} ms of ${times.length}`

test('D15.3 a large organization is deleted to its last row, and another one goes on reading', async () => {
  const large = await newOrganization(system.stack, 'Large')
  const other = await newOrganization(system.stack, 'Other')
  const dock = await newLocation(other, 'Dock', 'DOCK')
  await newReader(other, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
  await fill(large, ASSETS)
  await fill(other, 2 * BATCH)
  await makeOldPartitions()
  await pack(large.id)
  await pack(other.id)
  await database.query('analyze')
  const [before, others] = [await rowsOf(large.id), await rowsOf(other.id)]
  expect(before).toEqual([ASSETS, ASSETS, ASSETS * DAYS])

  const quietUntil = Date.now() + 10_000
  const quiet = await timeReads(other, () => Date.now() > quietUntil)
  const startedAt = Date.now()
  const path = { org_id: large.id }
  const deleted = await large.admin.DELETE('/api/v1/orgs/{org_id}', {
    params: { path },
    body: { name: 'Large' },
  })
  expect(deleted.response.status).toBe(202)
  let isErased = false
  const reading = timeReads(other, () => isErased)
  await expect.poll(() => rowsOf(large.id), UNTIL_ERASED).toEqual([0, 0, 0])
  const seconds = (Date.now() - startedAt) / 1_000
  isErased = true
  const busy = await reading
  expect(await rowsOf(other.id)).toEqual(others)
  const rows = before.reduce((sum, n) => sum + n, 0)
  console.log(
    `deleted ${rows} rows in ${seconds.toFixed(0)} s (${Math.round(rows / seconds)} a second)\n` +
      `reads of another organization: before ${shown(quiet)}; meanwhile ${shown(busy)}`,
  )
}, 3_900_000)
