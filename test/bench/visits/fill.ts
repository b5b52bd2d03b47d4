import type pg from 'pg'
import { packDay } from '../../../services/tracking/src/positions/packed/day-codec.ts'
import type { Day, DayRow } from '../../../services/tracking/src/positions/packed/day-rows.ts'

export const ORG = 1_000
const SHELVES = 500
const HALLS = 5
const shelfId = (n: number): number => 500_000_000 + n
export const SHELF = shelfId(7)
export const HALL = 600_000_001
export const ROOT = 600_000_000
/** A root with halls, which have the shelves. */
export const LOCATIONS = [
  { id: ROOT, key: 'ROOT', parent: null },
  ...Array.from({ length: HALLS }, (_, i) => ({ id: HALL + i, key: `HALL-${i}`, parent: ROOT })),
  ...Array.from({ length: SHELVES }, (_, i) => ({
    id: shelfId(i),
    key: `SHELF-${i}`,
    parent: HALL + (i % HALLS),
  })),
]
const DAY_MS = 86_400_000
/** Rows of an asset on a day, and how many of them come before it moves: four hours. */
const ROWS_OF_DAY = 48
const ROW_MINUTES = 30
const ROWS_OF_VISIT = 8
/** Of so many visits of every other asset, one ends without a place. */
const NOWHERE = 20
/** Assets as many apart have the same days. Their minutes divide it. */
const PATTERNS = SHELVES
const MINUTES = 25
/** The newest days are rows, and the ones before are packed. The product keeps three days of rows, which take longer to fill. */
const DAYS_OF_ROWS = 1

type Filled = { rows: number; movements: number; days: number }

/**
 * Fills the newest days first, each by statements of a second or so, until there are enough rows or the time is over: so it may
 * end with less. A packed day is made for one asset of each pattern, and copied to the others.
 */
export async function fillVisits(
  owner: pg.Client,
  { assets, rows: wanted, seconds }: { assets: number; rows: number; seconds: number },
): Promise<Filled> {
  const until = performance.now() + seconds * 1_000
  const today = Math.floor(Date.now() / DAY_MS)
  await owner.query(`set whereabouts.writes_movements = 'on'; set synchronous_commit = off; set work_mem = '256MB';
    update history_packing set starts_at = 'infinity', packed_until = '${dateOf(today - DAYS_OF_ROWS)}T00:00:00Z';
    insert into asset (org_id, id, revision, external_key, name, valid_from)
      select ${ORG}, i, 1, 'ASSET-' || i, 'Forklift ' || i, now() - interval '2 years' from generate_series(1, ${assets}) i`)
  const filled = { rows: 0, movements: 0, days: 0 }
  while (filled.rows < wanted && performance.now() < until) {
    filled.days += 1
    const day = today - filled.days
    await owner.query(`select make_history_day($1::date)`, [dateOf(day)])
    if (filled.days <= DAYS_OF_ROWS) await addRows(owner, day, assets)
    else {
      await addPacked(owner, day, assets)
      await owner.query(`drop table scan_${dateOf(day).replaceAll('-', '_')}`) // as when it is packed
    }
    filled.rows += assets * ROWS_OF_DAY
    filled.movements += await addMovements(owner, day, assets)
  }
  await setPositions(owner, today - 1)
  for (const table of ['scan', 'day_packed', 'movement', 'position'])
    await owner.query(`vacuum analyze ${table}`)
  return filled
}

const dateOf = (day: Day) => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The location of a pattern in the row `n` since 1970: another one after each visit, or none in its last row. */
const shelfAt = (pattern: number, n: number): number | null =>
  pattern % 2 === 1 && (n + pattern * ROWS_OF_VISIT) % (ROWS_OF_VISIT * NOWHERE) === ROWS_OF_VISIT - 1
    ? null
    : shelfId((pattern * 7 + Math.floor(n / ROWS_OF_VISIT) * 13) % SHELVES)

type PatternRow = { pattern: number; minute: number; at: number; shelf: number | null; before: number | null }

function rowsOf(day: Day, pattern: number): PatternRow[] {
  return Array.from({ length: ROWS_OF_DAY }, (_, i) => {
    const minute = i * ROW_MINUTES + (pattern % MINUTES)
    const n = day * ROWS_OF_DAY + i
    const at = day * DAY_MS + minute * 60_000 + (pattern % MINUTES) * 1_000
    return { pattern, minute, at, shelf: shelfAt(pattern, n), before: shelfAt(pattern, n - 1) }
  })
}

const patterns = Array.from({ length: PATTERNS }, (_, pattern) => pattern)
const allRowsOf = (day: Day) => patterns.flatMap((pattern) => rowsOf(day, pattern))

/** The rows of patterns with the assets that have them. The parameters are `day`, `assets`, and a column each. */
const FROM_ROWS = `from unnest($3::bigint[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[])
    as r (pattern, minute, at, shelf, before)
  cross join lateral generate_series(case r.pattern when 0 then ${PATTERNS} else r.pattern end, $2::bigint, ${PATTERNS}) as asset_id`
const MINUTE = `$1::date::timestamp at time zone 'UTC' + r.minute * interval '1 minute'`
const AT = `timestamptz 'epoch' + r.at * interval '1 millisecond'`

const rowParameters = (day: Day, assets: number, rows: readonly PatternRow[]) => [
  dateOf(day),
  assets,
  rows.map((row) => row.pattern),
  rows.map((row) => row.minute),
  rows.map((row) => row.at),
  rows.map((row) => row.shelf),
  rows.map((row) => row.before),
]

async function addRows(owner: pg.Client, day: Day, assets: number): Promise<void> {
  await owner.query(
    `insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna)
     select ${ORG}, asset_id, ${MINUTE}, ${AT}, r.shelf, 'gate', 1 ${FROM_ROWS} order by r.minute, asset_id`,
    rowParameters(day, assets, allRowsOf(day)),
  )
}

async function addMovements(owner: pg.Client, day: Day, assets: number): Promise<number> {
  const moved = allRowsOf(day).filter(({ shelf, before }) => shelf !== null && shelf !== before)
  const { rowCount } = await owner.query(
    `insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
     select ${ORG}, asset_id, ${MINUTE}, ${AT}, r.before, r.shelf ${FROM_ROWS} order by r.minute, asset_id`,
    rowParameters(day, assets, moved),
  )
  return rowCount ?? 0
}

const CAUSE = {
  reader_key: 'gate',
  antenna: 1,
  tag_id: null,
  location_key: null,
  scan_point_id: null,
  empty_scan_point_id: null,
  outvoted: null,
  carried_from: null,
}

async function addPacked(owner: pg.Client, day: Day, assets: number): Promise<void> {
  const days = patterns.map((pattern) => {
    const rows = rowsOf(day, pattern).map(({ minute, at, shelf }): DayRow =>
      Object.assign({ minute, at: at * 1_000, location_id: shelf }, CAUSE),
    )
    const [first, last] = [rows[0], rows.at(-1)]
    return { pattern, first, last, packed: packDay(day, rows) }
  })
  await owner.query(
    `insert into day_packed (org_id, asset_id, day, n, first_location_id, last_location_id, first_at, last_at, seen, detail)
     select ${ORG}, asset_id, $1::date, ${ROWS_OF_DAY}, r.first_shelf, r.last_shelf,
       timestamptz 'epoch' + r.first_at * interval '1 microsecond', timestamptz 'epoch' + r.last_at * interval '1 microsecond',
       r.seen, r.detail
     from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[], $9::bytea[])
       as r (pattern, first_shelf, last_shelf, first_at, last_at, seen, detail)
     cross join lateral generate_series(case r.pattern when 0 then ${PATTERNS} else r.pattern end, $2::bigint, ${PATTERNS}) as asset_id
     order by asset_id`,
    [
      dateOf(day),
      assets,
      days.map(({ pattern }) => pattern),
      days.map(({ first }) => first?.location_id ?? null),
      days.map(({ last }) => last?.location_id ?? null),
      days.map(({ first }) => first?.at ?? 0),
      days.map(({ last }) => last?.at ?? 0),
      days.map(({ packed }) => packed.seen),
      days.map(({ packed }) => packed.detail),
    ],
  )
}

/** From the last row of each asset. All of its last visit is on the last day. */
async function setPositions(owner: pg.Client, day: Day): Promise<void> {
  await owner.query(
    `update position p set minute = s.minute, observed_at = s.observed_at, location_id = s.location_id,
       dwell_started_at = case when s.location_id is not null then m.observed_at end
     from scan s, lateral (select m.observed_at from movement m
       where m.org_id = ${ORG} and m.asset_id = s.asset_id order by m.minute desc limit 1) m
     where s.org_id = ${ORG} and p.org_id = ${ORG} and s.asset_id = p.asset_id
       and s.minute = $1::timestamptz + interval '23 hours 30 minutes' + p.asset_id % ${MINUTES} * interval '1 minute'`,
    [`${dateOf(day)}T00:00:00Z`],
  )
}
