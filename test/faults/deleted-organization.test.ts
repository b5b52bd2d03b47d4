import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { newLocation, newOrganization, newReader, type Organization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

/** The longer history is, the longer it takes: both numbers can be raised to those of a real organization. */
const ASSETS = Number(process.env['DELETED_ASSETS'] ?? 20_000)
const DAYS = Number(process.env['DELETED_DAYS'] ?? 60)
const BATCH = 500
const PARTS = 10
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

/** Tracking makes and owns them. An erasure cannot delete from those that another role creates: it would retry for ever. */
const makeOldPartitions = () =>
  database.query(
    `select tracking.make_history_day(month::date)
     from generate_series(date_trunc('month', current_date - $1::integer), current_date, interval '1 month') month`,
    [DAYS],
  )

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

/** How long reads of the organization take, in ms, until `isOver`. */
async function timeReads(org: Organization, isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const startedAt = performance.now()
    const answer = await org.admin.GET('/api/v1/assets', { params: { query: { limit: 50 } } })
    expect(answer.response.status).toBe(200)
    times.push(performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 1_000)) // a person who looks at a list; more are limited
  }
  return times.toSorted((a, b) => a - b)
}

type Moment = { seconds: number; erased: number; isGone: boolean }

/** What the product counts, because to count the rows takes longer than to delete them. */
async function momentOf(orgId: number, startedAt: number): Promise<Moment> {
  const { rows } = await database.query<{ erased: Record<string, number>; is_gone: boolean }>(
    'select erased, gone_at is not null as is_gone from keys.deleted_org where id = $1',
    [orgId],
  )
  const erased = Object.values(rows[0]?.erased ?? {}).reduce((sum, n) => sum + n, 0)
  const seconds = (performance.now() - startedAt) / 1_000
  return { seconds, erased, isGone: rows[0]?.is_gone ?? false }
}

/** One a second until the last row has gone. */
async function watchErasure(orgId: number): Promise<Moment[]> {
  const startedAt = performance.now()
  const moments: Moment[] = []
  const last = async () => {
    const moment = await momentOf(orgId, startedAt)
    moments.push(moment)
    return moment.isGone
  }
  await expect.poll(last, UNTIL_ERASED).toBe(true)
  return moments
}

/** Rows a second, of all and in each part of the time: the rate must not fall as dead rows become more. */
function ratesOf(moments: readonly Moment[]): string {
  const last = moments.find(({ erased }) => erased === moments.at(-1)?.erased)
  if (!last) throw new Error('nothing was erased')
  const { erased: all, seconds } = last
  const erasedUntil = (share: number) =>
    moments.findLast((each) => each.seconds <= share * seconds)?.erased ?? 0
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const rows = erasedUntil((part + 1) / PARTS) - erasedUntil(part / PARTS)
    return Math.round((rows * PARTS) / seconds)
  })
  return `${all} rows in ${seconds.toFixed(0)} s, ${Math.round(all / seconds)} a second; in each tenth of it ${parts.join(', ')}`
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

  const quietUntil = Date.now() + 30_000
  const quiet = await timeReads(other, () => Date.now() > quietUntil)
  const path = { org_id: large.id }
  const deleted = await large.admin.DELETE('/api/v1/orgs/{org_id}', {
    params: { path },
    body: { name: 'Large' },
  })
  expect(deleted.response.status).toBe(202)
  let isOver = false
  const watching = watchErasure(large.id).finally(() => (isOver = true))
  const [moments, busy] = await Promise.all([watching, timeReads(other, () => isOver)])
  expect(await rowsOf(large.id)).toEqual([0, 0, 0])
  expect(await rowsOf(other.id)).toEqual(others)
  console.log(
    `deleted ${ratesOf(moments)}\n` +
      `reads of another organization: before ${shown(quiet)}; meanwhile ${shown(busy)}`,
  )
}, 3_900_000)
