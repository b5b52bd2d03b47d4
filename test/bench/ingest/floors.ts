import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Stack } from '@whereabouts/deploy/local/stack'
import type { Worker } from './drain.ts'
import { assetIdOf, inTracking, type Warehouse } from './warehouse.ts'

export type Floor = Worker & { stop(): Promise<void> }

/** Starts the bare consumer, see floor-process.ts. */
export async function startFloor({ urls, secrets }: Stack): Promise<Floor> {
  const args = [urls.nats, secrets.nats.services_password]
  const child = fork(new URL('floor-process.ts', import.meta.url), args)
  await once(child, 'message')
  if (child.pid === undefined) throw new Error('the bare consumer did not start')
  return {
    pid: child.pid,
    durable: 'bench-floor',
    async stop() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

const ROWS_PER_STATEMENT = 5_000

/**
 * Seconds of a bare insert of new rows: as many rows as in `minutes` of the warehouse, in statements of 5 000, one
 * transaction each, into a table of the same shape.
 */
export async function insertBare(
  stack: Stack,
  { orgs, assetsPerOrg }: Warehouse,
  { fromMinute, minutes }: { fromMinute: number; minutes: number },
): Promise<number> {
  return inTracking(stack, async (client) => {
    await client.query('create table bench_scan (like scan including all) partition by range (minute)')
    await client.query('create table bench_scan_all partition of bench_scan default')
    const rows: [org: number, asset: number, minute: number][] = []
    for (let minute = fromMinute; minute < fromMinute + minutes; minute += 1)
      for (const org of orgs)
        for (let n = 0; n < assetsPerOrg; n += 1) rows.push([org, assetIdOf(org, n), minute])
    const started = performance.now()
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const some = rows.slice(at, at + ROWS_PER_STATEMENT)
      await client.query({
        name: 'bare',
        text: `insert into bench_scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
          select org, asset, timestamptz 'epoch' + minute * interval '1 minute',
                 timestamptz 'epoch' + minute * interval '1 minute', 1, 'gate', 1
          from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as n (org, asset, minute)
          on conflict do nothing`,
        values: [
          some.map(([org]) => org),
          some.map(([, asset]) => asset),
          some.map(([, , minute]) => minute),
        ],
      })
    }
    const seconds = (performance.now() - started) / 1000
    await client.query('drop table bench_scan')
    return seconds
  })
}
