import { DatabaseSync } from 'node:sqlite'
import { isAssetMoved, type AssetMovedEvent, type WebhookEvent } from '../../src/webhooks.ts'

/** The result of a delivery. */
type Taken =
  | 'moved'
  /** The delivery was taken before and changes nothing now. */
  | 'duplicate'
  /** The asset has a newer position already: deliveries come in any order. */
  | 'older'
  /** An unknown kind of event, or a test event, whose asset does not exist. */
  | 'ignored'

/** Where an asset was last seen, from the report. */
export type Sighting = {
  assetId: number
  assetKey: string
  locationId: number | null
  location: string | null
  /** RFC 3339 in UTC with milliseconds, so that texts sort in the order of time. */
  asOf: string
  deleted: boolean
}

export type Places = {
  /** Applies a verified event once. When it returns, the event is on the disk, so the sender need not send it again. */
  take(event: WebhookEvent): Taken
  /** Applies a row of the report. True if it changed something. */
  correct(sighting: Sighting): boolean
  count(): number
  close(): void
}

const TEST_ASSET = 'TEST-ASSET'

/**
 * Deliveries that are kept to detect duplicates. Enough for a tolerance of five minutes at 600 deliveries per second.
 */
const DELIVERIES = 200_000

const SCHEMA = `
  pragma journal_mode = wal;
  create table if not exists delivery (n integer primary key autoincrement, delivery_id text not null unique);
  create table if not exists place (asset_id integer primary key, asset_key text not null, location_id integer,
    location text, as_of text not null);`

const PLACE = `insert into place (asset_id, asset_key, location_id, location, as_of) values (?, ?, ?, ?, ?)
  on conflict (asset_id) do update set (asset_key, location_id, location, as_of) =
    (excluded.asset_key, excluded.location_id, excluded.location, excluded.as_of)`

/** Opens the file and creates it if it is missing. Throws if it is not a usable database. */
export function openPlaces(file: string): Places {
  const db = openDatabase(file)
  const remember = db.prepare('insert into delivery (delivery_id) values (?) on conflict do nothing')
  const evict = db.prepare('delete from delivery where n <= ?')
  const move = db.prepare(`${PLACE} where excluded.as_of > place.as_of`)
  // At the same time the report wins, because it includes all scans and an event only one.
  const correct = db.prepare(`${PLACE} where excluded.as_of >= place.as_of
    and (excluded.location_id is not place.location_id or excluded.as_of > place.as_of)`)
  const remove = db.prepare('delete from place where asset_id = ?')
  const count = db.prepare('select count(*) as n from place')

  const isNew = (deliveryId: string) => {
    const { changes, lastInsertRowid } = remember.run(deliveryId)
    if (changes === 1) evict.run(Number(lastInsertRowid) - DELIVERIES)
    return changes === 1
  }
  const apply = ({ data: { asset, to_location: to }, occurred_at }: AssetMovedEvent) =>
    move.run(asset.id, asset.external_key, to.id, to.name, occurred_at).changes === 1

  return {
    // One transaction, because a crash between the two steps would lose the event or apply it twice.
    take: (event) =>
      inTransaction(db, () => {
        if (!isNew(event.delivery_id)) return 'duplicate'
        if (!isAssetMoved(event) || event.data.asset.external_key === TEST_ASSET) return 'ignored'
        return apply(event) ? 'moved' : 'older'
      }),
    correct({ deleted, assetId, assetKey, locationId, location, asOf }) {
      if (deleted) return remove.run(assetId).changes === 1
      return correct.run(assetId, assetKey, locationId, location, asOf).changes === 1
    },
    count: () => Number(count.get()?.['n']),
    close: () => db.close(),
  }
}

function openDatabase(file: string): DatabaseSync {
  try {
    const db = new DatabaseSync(file)
    db.exec(SCHEMA)
    return db
  } catch (error) {
    throw new Error(`--data ${file}: ${(error as Error).message}`, { cause: error })
  }
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate')
  try {
    const result = work()
    db.exec('commit')
    return result
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}
