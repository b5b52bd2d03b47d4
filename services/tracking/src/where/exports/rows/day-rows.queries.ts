import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../../db.ts'
import { unpackDay, type PackedDay } from '../../../positions/packed/day-codec.ts'
import { dayOf, MINUTES_OF_DAY } from '../../../positions/packed/day-rows.ts'
import { PACKED_UNTIL_DAY } from '../../../positions/packed/packing-state.queries.ts'
import { BATCH_ROWS } from '../batch.ts'
import { idsOf, instantsOf, packedIds, packedInstants, packedTexts } from './packed-columns.ts'

const MINUTE_MS = 60_000

type Values<T> = (T | null)[]

/** Rows of a day, as lists of equal length. Instants are milliseconds. */
export type DayRows = {
  asset_id: Values<number>
  observed_at: Values<number>
  location_id: Values<number>
  reader_key: Values<string>
  antenna: Values<number>
}
export type DayMovements = {
  asset_id: Values<number>
  observed_at: Values<number>
  from_location_id: Values<number>
  to_location_id: Values<number>
}

/**
 * The history of all assets on a day of UTC (`2026-11-21`), by asset and minute. A day that is packed meanwhile is read on
 * from where it was.
 */
export async function* dayRows(db: Db, orgId: number, day: string): AsyncGenerator<DayRows> {
  const columns = sql`${packedIds('location_id')} as location_id, ${packedIds('antenna')} as antenna,
    ${packedTexts('reader_key')} as reader_key, ${PACKED_UNTIL_DAY} > ${day}::date as is_packed`
  type Packed = Page & {
    location_id: Buffer
    antenna: Buffer
    reader_key: Values<string>
    is_packed: boolean
  }
  let after = { asset: 0, minute: day }
  for await (const page of pages<Packed>(db, { orgId, day, table: 'scan', columns })) {
    if (page.is_packed) return yield* packedDayRows(db, orgId, day, after)
    after = { asset: page.last_asset, minute: page.last_minute }
    if (page.rows === 0) return
    yield {
      asset_id: idsOf(page.asset_id),
      observed_at: instantsOf(page.observed_at),
      location_id: idsOf(page.location_id),
      reader_key: page.reader_key,
      antenna: idsOf(page.antenna),
    }
  }
}

/** Packed days of assets that are read at a time: about 200 KiB. */
const DAYS_AT_ONCE = 200

async function* packedDayRows(
  db: Db,
  orgId: number,
  day: string,
  after: { asset: number; minute: string },
): AsyncGenerator<DayRows> {
  const number = dayOf(Date.parse(day))
  // The rest of the last asset, unless the day begins with it.
  const first = Math.floor((Date.parse(after.minute) / MINUTE_MS) % MINUTES_OF_DAY)
  let asset = after.asset - 1
  for (;;) {
    const { rows } = await sql<PackedDay & { asset_id: number }>`
      select d.asset_id, d.seen, d.detail, d.extra from day_packed d
      where d.org_id = ${orgId} and d.asset_id > ${asset}::bigint and d.day = ${day}::date
      order by d.asset_id limit ${DAYS_AT_ONCE}`.execute(db)
    let batch = emptyRows()
    for (const packed of rows) {
      for (const row of unpackDay(number, packed)) {
        if (packed.asset_id === after.asset && row.minute <= first) continue
        batch.asset_id.push(packed.asset_id)
        batch.observed_at.push(Math.floor(row.at / 1_000))
        batch.location_id.push(row.location_id)
        batch.reader_key.push(row.reader_key)
        batch.antenna.push(row.antenna)
      }
      if (batch.asset_id.length <= BATCH_ROWS - MINUTES_OF_DAY) continue
      yield batch
      batch = emptyRows()
    }
    if (batch.asset_id.length > 0) yield batch
    if (rows.length < DAYS_AT_ONCE) return
    asset = rows.at(-1)?.asset_id ?? asset
  }
}

const emptyRows = (): DayRows => ({
  asset_id: [], observed_at: [], location_id: [], reader_key: [], antenna: [],
}) // oxfmt-ignore

/** The movements of all assets on a day of UTC, by asset and minute. */
export async function* dayMovements(db: Db, orgId: number, day: string): AsyncGenerator<DayMovements> {
  const columns = sql`${packedIds('from_location_id')} as from_location_id, ${packedIds('to_location_id')} as to_location_id`
  type Packed = Page & { from_location_id: Buffer; to_location_id: Buffer }
  for await (const page of pages<Packed>(db, { orgId, day, table: 'movement', columns }))
    if (page.rows > 0)
      yield {
        asset_id: idsOf(page.asset_id),
        observed_at: instantsOf(page.observed_at),
        from_location_id: idsOf(page.from_location_id),
        to_location_id: idsOf(page.to_location_id),
      }
}

type Page = { rows: number; last_asset: number; last_minute: string; asset_id: Buffer; observed_at: Buffer }
type Wanted = { orgId: number; day: string; table: 'scan' | 'movement'; columns: RawBuilder<unknown> }

/** Reads the next page while one is used. Each page is a statement of its own, so that none holds back the cleaning of old rows. */
async function* pages<T extends Page>(db: Db, wanted: Wanted): AsyncGenerator<T> {
  let next = ahead(readPage<T>(db, wanted, { asset: 0, minute: wanted.day }))
  for (;;) {
    const page = await next
    if (!page) return
    if (page.rows === BATCH_ROWS)
      next = ahead(readPage<T>(db, wanted, { asset: page.last_asset, minute: page.last_minute }))
    yield page
    if (page.rows < BATCH_ROWS) return
  }
}

/** Its failure is for the one that waits for it, and none does if the export was stopped meanwhile. */
function ahead<T>(page: Promise<T>): Promise<T> {
  page.catch(() => undefined)
  return page
}

async function readPage<T extends Page>(
  db: Db,
  { orgId, day, table, columns }: Wanted,
  after: { asset: number; minute: string },
): Promise<T | undefined> {
  const { rows } = await sql<T>`
    select count(*)::int as rows, max(asset_id) as last_asset,
      max(minute) filter (where asset_id = last_id) as last_minute,
      ${packedIds('asset_id')} as asset_id, ${packedInstants('observed_at')} as observed_at, ${columns}
    from (
      select *, max(asset_id) over () as last_id from (
        select * from ${sql.table(table)}
        where org_id = ${orgId} and minute >= ${day}::date::timestamptz
          and minute < (${day}::date + 1)::timestamptz
          and (asset_id, minute) > (${after.asset}::bigint, ${after.minute}::timestamptz)
        order by asset_id, minute limit ${BATCH_ROWS}) as page) as page`.execute(db)
  return rows[0]
}
