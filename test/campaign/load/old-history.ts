import { poll } from '@whereabouts/deploy/workshop/servers/poll'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import type { Client } from 'pg'
import { rowsOfDay, type Date10, type OldRow } from '../ledger/old-rows.ts'
import { withDatabase } from '../system/database.ts'
import type { Tenant } from './tenant.ts'

/** The days whose rows were committed, and how many of them are packed. */
export type OldHistory = { days: { day: Date10; rows: number }[]; packedDays: number }

const DAY_MS = 86_400_000
/** Younger days are not packed, or are by the time of the round. */
const [FIRST_AGO, LAST_AGO] = [30, 5]
/** So many days wait, so that the packer does not run out of work: it would rest for a minute. */
const AHEAD = 3
const ROWS_AT_ONCE = 5_000
/** Longer than a round. */
const LOOK = { everyMs: 1_000, timeoutMs: 1_200_000 }
/** A day is written again and again while the database is disturbed. */
const WRITE = { everyMs: 1_000, timeoutMs: 180_000 }

type Options = { stack: Stack; tenants: readonly Tenant[]; seed: number; isStopping: () => boolean }

/**
 * Writes one old day after the other, as an installation with older history has them, until it is told to stop. So the days are
 * packed while the load runs. Directly in PostgreSQL, because the API takes no reads of long ago.
 */
export async function writeOldHistory({ stack, tenants, seed, isStopping }: Options): Promise<OldHistory> {
  const days: OldHistory['days'] = []
  const packedDays = async () => {
    const until = await withDatabase(stack, packedUntil)
    return days.filter(({ day }) => day < until).length
  }
  const mayGoOn = async () => isStopping() || days.length - (await packedDays()) < AHEAD || undefined
  for (const day of oldDays(Date.now())) {
    if (days.length >= AHEAD) await persist(mayGoOn, LOOK)
    if (isStopping()) break
    const rows = tenants.map((tenant) => ({ orgId: tenant.id, rows: rowsOfDay(seed, tenant, day) }))
    await persist(() => withDatabase(stack, (client) => writeDay(client, day, rows)), WRITE)
    days.push({ day, rows: rows.reduce((sum, own) => sum + own.rows.length, 0) })
  }
  return { days, packedDays: await persist(packedDays, WRITE) }
}

function oldDays(nowMs: number): Date10[] {
  const length = FIRST_AGO - LAST_AGO + 1
  return Array.from({ length }, (_, n) =>
    new Date(nowMs - (FIRST_AGO - n) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** Repeats what fails while faults happen. */
async function persist<T>(work: () => Promise<T | undefined>, times: typeof LOOK): Promise<T> {
  let cause: unknown
  const once = () =>
    work().catch((error: unknown) => {
      cause = error
      return undefined
    })
  const done = await poll(once, times)
  if (done !== undefined) return done
  throw new Error(`old history stands still for ${times.timeoutMs / 1_000} s`, { cause })
}

/** The first day that is not packed. */
async function packedUntil(client: Client): Promise<Date10> {
  const { rows } = await client.query<{ until: Date10 }>(
    `select coalesce(to_char(nullif(packed_until, '-infinity') at time zone 'UTC', 'YYYY-MM-DD'), '') as until
     from tracking.history_packing`,
  )
  return rows[0]?.until ?? ''
}

/**
 * In one transaction with the partition: the packer would pass an empty day, and rows that come after it do not count. So a
 * partition also tells that an attempt was committed whose answer was lost, or the packer if the partition was dropped.
 */
async function writeDay(
  client: Client,
  day: Date10,
  rows: { orgId: number; rows: OldRow[] }[],
): Promise<true> {
  const partition = `tracking.scan_${day.replaceAll('-', '_')}`
  const { rows: known } = await client.query('select where to_regclass($1) is not null', [partition])
  if (known.length > 0 || day < (await packedUntil(client))) return true
  await client.query('begin')
  await client.query(`set local whereabouts.writes_movements = 'on'`) // no row is compared with its neighbors
  await client.query('select tracking.make_history_day($1)', [day])
  for (const own of rows)
    for (let at = 0; at < own.rows.length; at += ROWS_AT_ONCE)
      await insert(client, own.orgId, own.rows.slice(at, at + ROWS_AT_ONCE))
  await client.query('commit')
  return true
}

async function insert(client: Client, orgId: number, rows: readonly OldRow[]): Promise<void> {
  await client.query(
    `insert into tracking.scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
     select $1, u.asset_id, date_trunc('minute', u.at), u.at, u.location_id, u.reader_key, u.antenna
     from unnest($2::bigint[], $3::timestamptz[], $4::bigint[], $5::text[], $6::integer[])
       as u (asset_id, at, location_id, reader_key, antenna)`,
    [
      orgId,
      rows.map(({ assetId }) => assetId),
      rows.map(({ observedAtMs }) => new Date(observedAtMs).toISOString()),
      rows.map(({ locationId }) => locationId),
      rows.map(({ readerKey }) => readerKey),
      rows.map(({ antenna }) => antenna),
    ],
  )
}
