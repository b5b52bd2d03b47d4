import type { Stack } from '@whereabouts/deploy/local/stack'
import type { NatsConnection } from 'nats'
import pg from 'pg'
import { inTracking } from '../ingest/warehouse.ts'

const READER = 'bench-gate'
/** So many assets that each is read again only in another minute. */
const ASSETS = 120_000

export type Writing = {
  /** Resolves with the rows of history a second since the start. */ stop(): Promise<number>
}

export type Rate = { messagesPerSecond: number; readsPerMessage: number }

/** `locationIds`: two, between which the assets move. */
export type Moving = { orgId: number; locationIds: readonly number[] }

/**
 * Sends reads of the assets of an organization in turn, until it is stopped. Each time an asset is read, it has moved. With
 * more assets than reads a minute, each read is a new row.
 */
export async function startWriting(
  stack: Stack,
  nc: NatsConnection,
  moving: Moving,
  { messagesPerSecond, readsPerMessage }: Rate,
): Promise<Writing> {
  const values = await prepare(stack, moving)
  const started = Date.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((Date.now() - started) / 1000) * messagesPerSecond
    for (; sent < due; sent += 1)
      nc.publish(`scans.${moving.orgId}.${READER}.canonical`, message(values, sent, readsPerMessage))
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      const seconds = (Date.now() - started) / 1000
      return (await inTracking(stack, (client) => countSince(client, moving.orgId, started))) / seconds
    },
  }
}

function message(values: readonly string[], n: number, length: number): string {
  const reads = Array.from({ length }, (_, i) => {
    const at = n * length + i
    const antenna = 1 + (Math.floor(at / values.length) % 2)
    return { tag: { type: 'rfid', value: values[at % values.length] }, antenna }
  })
  return JSON.stringify({ reads })
}

/** Creates the reader, restarts tracking to load it, and returns tag values. */
async function prepare(stack: Stack, { orgId, locationIds }: Moving): Promise<string[]> {
  const values = await inTracking(stack, async (client) => {
    await client.query(READER_ROW, [orgId, READER])
    await client.query(ANTENNAS, [orgId, READER, locationIds.slice(0, 2)])
    const { rows } = await client.query<{ value: string }>(TAGS, [orgId, ASSETS])
    return rows.map(({ value }) => value)
  })
  const tracking = stack.service('tracking')
  await tracking.kill('SIGTERM')
  tracking.start()
  await tracking.waitReady()
  return values
}

const READER_ROW = `insert into reader (org_id, reader_key, name, format) values ($1, $2, 'Gate', 'canonical')
  on conflict do nothing`
const ANTENNAS = `insert into scan_point (org_id, reader_id, antenna, name, location_id)
  select org_id, id, antenna, 'antenna', ($3::bigint[])[antenna]
  from reader cross join generate_series(1, 2) as antenna where org_id = $1 and reader_key = $2
  on conflict do nothing`
const TAGS = `select min(value) as value from tag where org_id = $1 and deleted_at is null group by asset_id
  order by hashint8(asset_id) limit $2`

async function countSince(client: pg.Client, orgId: number, started: number): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `select count(*) as rows from scan where org_id = $1 and reader_key = $2 and minute >= date_trunc('minute', $3::timestamptz)
     and observed_at >= $3::timestamptz`,
    [orgId, READER, new Date(started)],
  )
  return Number(rows[0]?.rows)
}
