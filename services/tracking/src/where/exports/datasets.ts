import { hasDays, type ExportDataset } from '@whereabouts/contracts/resources/tracking/exports'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Db } from '../../db.ts'
import type { Batch, Column, Value } from './batch.ts'
import { dayMovements, dayRows } from './rows/day-rows.queries.ts'
import { assetKeysOf, locationKeysOf } from './rows/keys.ts'
import { assetRows, locationRows } from './rows/state-rows.queries.ts'

/** What the rows of a file are read with. */
export type Source = { db: Db; view: CatalogView; orgId: number }

const DAY_MS = 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** `from_at` and `to_at` are null for a dataset of now. */
export type Range = { dataset: ExportDataset; from_at: string | null; to_at: string | null }

/** How many files an export may have: one for each day of its range. */
export function countFiles({ dataset, from_at, to_at }: Range): number {
  if (!hasDays(dataset) || from_at === null || to_at === null) return 1
  return Math.floor(epochMs(to_at) / DAY_MS) - Math.floor(epochMs(from_at) / DAY_MS) + 1
}

/** The day of a file; null for a dataset of now. */
export const dayOfFile = ({ dataset, from_at }: Range, file: number): string | null =>
  hasDays(dataset) && from_at !== null ? dayOf(epochMs(from_at) + file * DAY_MS) : null

const id = (name: string): Column => ({ name, type: 'id' })
const text = (name: string): Column => ({ name, type: 'text' })
const instant = (name: string): Column => ({ name, type: 'instant' })

/** The columns of each dataset (D22.3). Append to them: people read files by their position too. */
export const columnsOf: Readonly<Record<ExportDataset, readonly Column[]>> = {
  history: [
    id('asset_id'), text('asset_external_key'), instant('observed_at'), id('location_id'), text('location_external_key'),
    text('reader_key'), { name: 'antenna', type: 'count' },
  ],
  movements: [
    id('asset_id'), text('asset_external_key'), instant('observed_at'), id('from_location_id'),
    text('from_location_external_key'), id('to_location_id'), text('to_location_external_key'),
  ],
  assets: [
    id('id'), text('external_key'), text('name'), instant('valid_from'), instant('valid_to'), instant('deleted_at'),
    id('location_id'), text('location_external_key'), instant('asset_last_seen'),
  ],
  locations: [id('id'), text('external_key'), text('name'), instant('deleted_at')],
} // oxfmt-ignore

const rowsOf: Readonly<Record<ExportDataset, (source: Source, day: string) => AsyncIterable<Batch>>> = {
  history,
  movements,
  assets,
  locations,
}

/** The rows of a file, in the order of `columnsOf`. */
export function batchesOf(source: Source, range: Range, file: number): AsyncIterable<Batch> {
  const day = dayOfFile(range, file)
  const rows = rowsOf[range.dataset](source, day ?? '')
  return day === null ? rows : within(range, day, rows)
}

async function* history({ db, view, orgId }: Source, day: string): AsyncGenerator<Batch> {
  for await (const rows of dayRows(db, orgId, day)) {
    const assetKeys = await assetKeysOf(db, view, orgId, rows.asset_id)
    const locationKeys = await locationKeysOf(db, view, orgId, rows.location_id)
    const { asset_id, observed_at, location_id, reader_key, antenna } = rows
    yield batch([asset_id, assetKeys, observed_at, location_id, locationKeys, reader_key, antenna])
  }
}

async function* movements({ db, view, orgId }: Source, day: string): AsyncGenerator<Batch> {
  for await (const rows of dayMovements(db, orgId, day)) {
    const { asset_id, observed_at, from_location_id: from, to_location_id: to } = rows
    const assetKeys = await assetKeysOf(db, view, orgId, asset_id)
    const fromKeys = await locationKeysOf(db, view, orgId, from)
    const toKeys = await locationKeysOf(db, view, orgId, to)
    yield batch([asset_id, assetKeys, observed_at, from, fromKeys, to, toKeys])
  }
}

async function* assets({ db, view, orgId }: Source): AsyncGenerator<Batch> {
  for await (const rows of assetRows(db, orgId)) {
    const locationKeys = await locationKeysOf(db, view, orgId, rows.location_id)
    const { id: ids, external_key, name, valid_from, valid_to, deleted_at, location_id, observed_at } = rows
    yield batch([ids, external_key, name, valid_from, valid_to, deleted_at, location_id, locationKeys, observed_at]) // oxfmt-ignore
  }
}

async function* locations({ db, orgId }: Source): AsyncGenerator<Batch> {
  for await (const { id: ids, external_key, name, deleted_at } of locationRows(db, orgId))
    yield batch([ids, external_key, name, deleted_at])
}

const batch = (columns: Batch['columns']): Batch => ({ rows: columns[0]?.length ?? 0, columns })

/** Where the instant is, in history and movements. */
const OBSERVED_AT = 2

/** Leaves out what is before or after the range, which only the first and the last day have. */
async function* within(
  { from_at, to_at }: Range,
  day: string,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  const [from, to] = [epochMs(from_at ?? ''), epochMs(to_at ?? '')]
  const isWhole = from <= epochMs(day) && to >= epochMs(day) + DAY_MS - 1
  for await (const all of batches) {
    if (isWhole) {
      yield all
      continue
    }
    const isWanted = (all.columns[OBSERVED_AT] ?? []).map((at) => isBetween(at, from, to))
    const wanted = batch(all.columns.map((values) => values.filter((_value, row) => isWanted[row])))
    if (wanted.rows > 0) yield wanted
  }
}

const isBetween = (at: Value, from: number, to: number) => typeof at === 'number' && at >= from && at <= to
