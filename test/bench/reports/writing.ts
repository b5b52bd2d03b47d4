import type { Stack } from '@whereabouts/deploy/local/stack'
import type { NatsConnection } from 'nats'
import pg from 'pg'
import { ORG_ID } from './catalog-fill.ts'
import { inTracking } from '../ingest/warehouse.ts'
import type { FilledHistory } from './fill.ts'

const READER = 'bench-gate'
const READS_PER_MESSAGE = 50
const MESSAGES_PER_SECOND = 20
/** So many assets that each is read again only in another minute. */
const ASSETS = 120_000

export type Writing = {
  /** Resolves with the rows of history a second since the start. */ stop(): Promise<number>
}

/** Makes tracking write 1 000 new rows a second, each a movement, until it is stopped. */
export async function startWriting(
  stack: Stack,
  nc: NatsConnection,
  filled: FilledHistory,
): Promise<Writing> {
  const values = await prepare(stack, filled.locationIds)
  const started = Date.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((Date.now() - started) / 1000) * MESSAGES_PER_SECOND
    for (; sent < due; sent += 1) nc.publish(`scans.${ORG_ID}.${READER}.canonical`, message(values, sent))
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      const seconds = (Date.now() - started) / 1000
      return (await inTracking(stack, (client) => countSince(client, started))) / seconds
    },
  }
}

function message(values: readonly string[], n: number): string {
  const reads = Array.from({ length: READS_PER_MESSAGE }, (_, i) => {
    const at = n * READS_PER_MESSAGE + i
    const antenna = 1 + (Math.floor(at / values.length) % 2)
    return { tag: { type: 'rfid', value: values[at % values.length] }, antenna }
  })
  return JSON.stringify({ reads })
}

/** Creates the reader, restarts tracking to load it, and returns tag values. */
async function prepare(stack: Stack, locationIds: readonly number[]): Promise<string[]> {
  const values = await inTracking(stack, async (client) => {
    await client.query(READER_ROW, [ORG_ID, READER])
    await client.query(ANTENNAS, [ORG_ID, READER, locationIds.slice(0, 2)])
    const { rows } = await client.query<{ value: string }>(TAGS, [ORG_ID, ASSETS])
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

async function countSince(client: pg.Client, started: number): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `select count(*) as rows from scan where org_id = $1 and reader_key = $2 and minute >= date_trunc('minute', $3::timestamptz)
     and observed_at >= $3::timestamptz`,
    [ORG_ID, READER, new Date(started)],
  )
  return Number(rows[0]?.rows)
}
