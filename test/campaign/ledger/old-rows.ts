import { randomOf } from '../plan/random.ts'
import { instant, minuteOf, type Finding } from './ledger.ts'

/** A day of UTC as `2026-11-26`. */
export type Date10 = string

/** A row of old history. A page of history does not show the reader and the antenna. */
export type OldRow = {
  assetId: number
  observedAtMs: number
  locationId: number | null
  readerKey?: string | null
  antenna?: number | null
}

/** What the rows of an organization are made of. */
export type OldAssets = { id: number; oldAssetIds: readonly number[]; locations: readonly { id: number }[] }

const MINUTES_OF_DAY = 1_440
/** Of the minutes of an asset. */
const [SEEN, MOVED, SAVED, UNASSIGNED, HANDHELD] = [0.8, 0.05, 0.02, 0.02, 0.1]
const ANTENNAS = 4

/** The rows of a day: the same for the same seed. Assets stay for some minutes, and most of the minutes have a row. */
export function rowsOfDay(seed: number, { id, oldAssetIds, locations }: OldAssets, day: Date10): OldRow[] {
  const random = randomOf(seed, `old history of ${id} on ${day}`)
  const rows: OldRow[] = []
  for (const assetId of oldAssetIds) {
    let place = random.pick(locations)
    for (let minute = 0; minute < MINUTES_OF_DAY; minute += 1) {
      if (random.next() > SEEN) continue
      if (random.next() < MOVED) place = random.pick(locations)
      const isSaved = random.next() < SAVED
      const readerKey = random.next() < HANDHELD ? 'handheld' : `gate-${locations.indexOf(place)}`
      rows.push({
        assetId,
        observedAtMs: Date.parse(day) + minute * 60_000 + random.whole(0, 59_999),
        locationId: random.next() < UNASSIGNED ? null : place.id,
        readerKey: isSaved ? null : readerKey,
        antenna: isSaved ? null : random.whole(1, ANTENNAS),
      })
    }
  }
  return rows
}

const keyOf = ({ assetId, observedAtMs }: OldRow) => `${assetId} ${minuteOf(observedAtMs)}`

const textOf = (row: OldRow) =>
  `asset ${row.assetId} at ${instant(row.observedAtMs)}: location ${row.locationId}` +
  (row.readerKey === undefined ? '' : `, reader ${row.readerKey}, antenna ${row.antenna}`)

const isSame = (shown: OldRow, own: OldRow) =>
  shown.observedAtMs === own.observedAtMs &&
  shown.locationId === own.locationId &&
  (shown.readerKey === undefined || shown.readerKey === own.readerKey) &&
  (shown.antenna === undefined || shown.antenna === own.antenna)

/** Compares what was shown with what was committed. One finding of each kind, with its first example. */
export function checkOldRows(where: string, written: readonly OldRow[], shown: readonly OldRow[]): Finding[] {
  const left = new Map(written.map((row) => [keyOf(row), row]))
  const found = new Map<string, string[]>()
  const note = (kind: string, what: string) => {
    const all = found.get(kind) ?? []
    all.push(what)
    found.set(kind, all)
  }
  const seen = new Set<string>()
  for (const row of shown) {
    const key = keyOf(row)
    const own = left.get(key)
    left.delete(key)
    if (seen.has(key)) note('old row twice', textOf(row))
    else if (!own) note('old row unknown', textOf(row))
    else if (!isSame(row, own)) note('old row changed', `${textOf(own)} became ${textOf(row)}`)
    seen.add(key)
  }
  for (const row of left.values()) note('old row lost', textOf(row))
  return [...found].map(([kind, all]) => ({ kind, what: `${where}: ${all.length} rows, such as ${all[0]}` }))
}
