import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { connect } from 'nats'
import pg from 'pg'
import { announceKeys, restartTracking } from '../ingest/warehouse.ts'
import { asOwner } from '../load/database.ts'

/** The organization whose assets are read. */
const FIRST = 1
const READER = 'bench-gate'
/** So many assets that each is read again only in another minute, if they exist. */
const ASSETS = 120_000
const READS_PER_MESSAGE = 10

/**
 * Sends reads of the assets of the first organization in turn, until it is stopped. Each time an asset is read, it has moved.
 * With more assets than reads a minute, each read is a new row. Restarts tracking, so warm it up after that.
 */
export async function startReading(stack: Stack, readsPerSecond: number, say: (text: string) => void) {
  const pass = stack.secrets.nats.services_password
  const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
  await announceKeys(nc, FIRST, 1, readsPerSecond)
  const values = await asOwner(stack, 'tracking', addReader)
  await restartTracking(stack)
  const started = Date.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((Date.now() - started) / 1000) * (readsPerSecond / READS_PER_MESSAGE)
    for (; sent < due; sent += 1) nc.publish(`scans.${FIRST}.${READER}.canonical`, message(values, sent))
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      const seconds = (Date.now() - started) / 1000
      const rows = await asOwner(stack, 'tracking', (client) => countSince(client, started))
      say(`Meanwhile ${(rows / seconds).toFixed(0)} rows of history a second were written.\n`)
      await nc.close()
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

/** With two antennas at two locations. Resolves with the values of tags. */
async function addReader(client: pg.Client): Promise<string[]> {
  await client.query(READER_ROW, [FIRST, READER])
  await client.query(ANTENNAS, [FIRST, READER])
  const { rows } = await client.query<{ value: string }>(TAGS, [FIRST, ASSETS])
  return rows.map(({ value }) => value)
}

const READER_ROW = `insert into reader (org_id, reader_key, name, format) values ($1, $2, 'Gate', 'canonical')`
const ANTENNAS = `insert into scan_point (org_id, reader_id, antenna, name, location_id)
  select r.org_id, r.id, row_number() over (), 'antenna', l.id
  from reader r cross join lateral (
    select id from location where org_id = r.org_id and deleted_at is null order by id desc limit 2) l
  where r.org_id = $1 and r.reader_key = $2`
const TAGS = `select min(value) as value from tag where org_id = $1 and deleted_at is null group by asset_id
  order by hashint8(asset_id) limit $2`

async function countSince(client: pg.Client, started: number): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `select count(*) as rows from scan where org_id = $1 and reader_key = $2 and minute >= date_trunc('minute', $3::timestamptz)
     and observed_at >= $3::timestamptz`,
    [FIRST, READER, new Date(started)],
  )
  return Number(rows[0]?.rows)
}
