import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../../db.ts'
import { BATCH_ROWS } from '../batch.ts'
import { idsOf, instantsOf, packedIds, packedInstants, packedTexts } from './packed-columns.ts'

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

/** The history of all assets on a day of UTC (`2026-11-21`), by asset and minute. */
export async function* dayRows(db: Db, orgId: number, day: string): AsyncGenerator<DayRows> {
  const columns = sql`${packedIds('location_id')} as location_id, ${packedIds('antenna')} as antenna,
    ${packedTexts('reader_key')} as reader_key`
  type Packed = Page & { location_id: Buffer; antenna: Buffer; reader_key: Values<string> }
  for await (const page of pages<Packed>(db, { orgId, day, table: 'scan', columns }))
    yield {
      asset_id: idsOf(page.asset_id),
      observed_at: instantsOf(page.observed_at),
      location_id: idsOf(page.location_id),
      reader_key: page.reader_key,
      antenna: idsOf(page.antenna),
    }
}

/** The movements of all assets on a day of UTC, by asset and minute. */
export async function* dayMovements(db: Db, orgId: number, day: string): AsyncGenerator<DayMovements> {
  const columns = sql`${packedIds('from_location_id')} as from_location_id, ${packedIds('to_location_id')} as to_location_id`
  type Packed = Page & { from_location_id: Buffer; to_location_id: Buffer }
  for await (const page of pages<Packed>(db, { orgId, day, table: 'movement', columns }))
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
    if (page.rows > 0) yield page
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
