import type { ExportCreate, ExportDetail } from '@whereabouts/contracts/resources/tracking/exports'
import { sql } from 'kysely'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished } from 'vitest'
import { createDays } from '../../src/positions/partitions/partitions.loop.ts'
import { startExportWorker } from '../../src/where/exports/job/exports.loop.ts'
import { log, type Tracking } from '../tracking.fixture.ts'

/** Midnight of UTC, some days ago. */
export const midnight = (daysAgo: number): number =>
  Math.floor(Date.now() / 86_400_000) * 86_400_000 - daysAgo * 86_400_000
export const iso = (ms: number): string => new Date(ms).toISOString()
export const dayOf = (ms: number): string => iso(ms).slice(0, 10)

/** A worker that stops with its test at the latest. */
export function workerOn({ worker, tenants, view }: Tracking, options: { retryMs?: number } = {}) {
  const running = startExportWorker({ across: worker.db, tenants, view, log, pollMs: 20, ...options })
  onTestFinished(() => running.stop())
  return running
}

export async function begin(tracking: Tracking, body: Partial<ExportCreate>, orgId = 1): Promise<number> {
  const res = await tracking.call('POST', '/exports', { orgId, body })
  expect(res.statusCode, res.body).toBe(202)
  return res.json().data.id
}

export const find = async (tracking: Tracking, id: number, orgId = 1): Promise<ExportDetail> =>
  (await tracking.call('GET', `/exports/${id}`, { orgId })).json().data

export async function finished(
  tracking: Tracking,
  id: number,
  orgId = 1,
  timeout = 60_000,
): Promise<ExportDetail> {
  await expect
    .poll(async () => (await find(tracking, id, orgId)).finished_at, { timeout, interval: 20 })
    .not.toBeNull()
  return find(tracking, id, orgId)
}

/** Begins an export and waits for its end. */
export async function exported(tracking: Tracking, body: Partial<ExportCreate>, orgId = 1) {
  const worker = workerOn(tracking)
  const result = await finished(tracking, await begin(tracking, body, orgId), orgId)
  await worker.stop()
  return result
}

/** Opens a link without any credential, as a browser does. */
export const open = (
  { app }: Tracking,
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
) => app.inject({ method, url, headers })

export async function contentOf(tracking: Tracking, url = ''): Promise<Buffer> {
  const res = await open(tracking, url)
  expect(res.statusCode).toBe(200)
  return res.rawPayload
}

export const linesOf = async (tracking: Tracking, url = ''): Promise<string[]> =>
  gunzipSync(await contentOf(tracking, url))
    .toString()
    .split(/\r?\n/)
    .filter((line) => line !== '')

/** Rows of history, one a minute for each asset, from an instant on: faster than through ingest. */
export async function fill(
  { db }: Pick<Tracking, 'db'>,
  {
    orgId = 1,
    assets,
    minutes,
    from,
    locations,
  }: {
    orgId?: number
    assets: readonly number[]
    minutes: number
    from: number
    locations: readonly number[]
  },
): Promise<void> {
  await createDays(db, [dayOf(from), dayOf(from + minutes * 60_000)])
  await db.transaction().execute(async (tx) => {
    await sql`set local whereabouts.writes_movements = 'on'`.execute(tx)
    await sql`
      insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
      select ${orgId}, asset, at, at + asset % 60 * interval '1 second',
        (${sql.val([...locations])}::bigint[])[1 + (n + asset) % ${locations.length}], 'gate-' || asset % 20, 1 + asset % 4
      from unnest(${sql.val([...assets])}::bigint[]) as asset, generate_series(0, ${minutes - 1}) as n,
        lateral (select ${iso(from)}::timestamptz + n * interval '1 minute' as at) as times`.execute(tx)
  })
}
