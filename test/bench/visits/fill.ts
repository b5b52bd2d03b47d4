import type pg from 'pg'

export const ORG = 1_000
const DAY_MS = 86_400_000
const LOCATIONS = 500
/** Rows of an asset on a day, an hour apart, and how many of them come before it moves. */
const ROWS_OF_DAY = 24
const ROWS_OF_VISIT = 4
/** Of so many visits, one ends without a place. */
const NOWHERE = 20

type Filled = { rows: number; movements: number; days: number }

/**
 * Fills the newest days first, each by statements of a second or so, until there are enough rows or the time is over: so it may
 * end with less.
 */
export async function fillVisits(
  owner: pg.Client,
  { assets, rows: wanted, seconds }: { assets: number; rows: number; seconds: number },
): Promise<Filled> {
  const until = performance.now() + seconds * 1_000
  await owner.query(`set whereabouts.writes_movements = 'on'; set synchronous_commit = off;
    update history_packing set starts_at = 'infinity';
    insert into location (org_id, id, revision, external_key, name)
      select ${ORG}, 500000000 + i, 1, 'LOC-' || i, 'Shelf ' || i from generate_series(0, ${LOCATIONS - 1}) i;
    insert into asset (org_id, id, revision, external_key, name, valid_from)
      select ${ORG}, i, 1, 'ASSET-' || i, 'Forklift ' || i, now() - interval '2 years' from generate_series(1, ${assets}) i`)
  const filled = { rows: 0, movements: 0, days: 0 }
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS
  while (filled.rows < wanted && performance.now() < until) {
    filled.days += 1
    const day = new Date(midnight - filled.days * DAY_MS).toISOString().slice(0, 10)
    await owner.query(`select make_history_day($1::date)`, [day])
    const { rowCount } = await owner.query(
      `insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
       select ${ORG}, asset, at, at + asset % 60 * interval '1 second', location, 'gate-' || asset % 20, 1 from (${rowsOf}) r`,
      [day, assets],
    )
    const moved = await owner.query(
      `insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
       select ${ORG}, asset, at, at + asset % 60 * interval '1 second', before, location from (${rowsOf}) r
       where location is not null and location is distinct from before`,
      [day, assets],
    )
    filled.rows += rowCount ?? 0
    filled.movements += moved.rowCount ?? 0
  }
  await owner.query(
    `update position p set minute = s.minute, observed_at = s.observed_at, location_id = s.location_id,
       dwell_started_at = case when s.location_id is not null then s.minute - interval '3 hours' + (p.asset_id % 60) * interval '1 second' end
     from scan s where s.org_id = ${ORG} and p.org_id = ${ORG} and s.asset_id = p.asset_id
       and s.minute = $1::timestamptz + interval '23 hours' + p.asset_id % 60 * interval '1 minute'`,
    [new Date(midnight - DAY_MS).toISOString()],
  )
  for (const table of ['scan', 'movement', 'position']) await owner.query(`vacuum analyze ${table}`)
  return filled
}

/** The location of the row `n` hours after 1970: another one after each visit, or none in its last row. */
const locationAt = (
  n: string,
) => `case when (${n}) % ${ROWS_OF_VISIT * NOWHERE} = ${ROWS_OF_VISIT - 1} then null
  else 500000000 + (asset * 7 + (${n}) / ${ROWS_OF_VISIT} * 13) % ${LOCATIONS} end`

/** The rows of all assets on the day $1. Each asset has its minute of the hour. */
const rowsOf = `
  select asset, at, ${locationAt('n')} as location, ${locationAt('n - 1')} as before
  from generate_series(1, $2::int) as asset, generate_series(0, ${ROWS_OF_DAY - 1}) as hour,
    lateral (select $1::date::timestamp at time zone 'UTC' + hour * interval '1 hour' + asset % 60 * interval '1 minute' as at,
      extract(epoch from $1::date)::bigint / 3600 + hour as n) t`
