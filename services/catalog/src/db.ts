import { assetFields } from '@whereabouts/contracts/resources/catalog/assets'
import type { ImageType, PlacedReader, Zone } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { namesWith, type Fields, type NamesWith, type ValueOf } from '@whereabouts/contracts/rules/fields'
import type {
  EmptyCells,
  FileColumn,
  ImportEncoding,
  ImportResource,
} from '@whereabouts/contracts/resources/catalog/imports'
import { locationFields } from '@whereabouts/contracts/resources/catalog/locations'
import type { OutboxTable } from '@whereabouts/db/outbox/outbox'
import type { Generated, GeneratedAlways, JSONColumnType, Kysely, Selectable, Transaction } from 'kysely'

/** The fields of each resource, by table. */
export const fieldsOf = { asset: assetFields, location: locationFields } as const

type Columns<F extends Fields> = {
  [K in NamesWith<F, 'column'>]: F[K] extends { default: unknown } ? Generated<ValueOf<F[K]>> : ValueOf<F[K]>
}

type ResourceTable<F extends Fields> = Columns<F> & {
  org_id: number
  revision: Generated<number>
  /** The digits of an external key that has the form of a minted one. */
  key_number: GeneratedAlways<string | null>
  /** Written by a trigger, see `searchForm`. */
  search_text: GeneratedAlways<string>
}

export type Tables = {
  asset: ResourceTable<typeof assetFields>
  location: ResourceTable<typeof locationFields>
  tag: {
    org_id: number
    id: Generated<number>
    tag_type: string
    value: string
    /** `matchValue(tag_type, value)` of contracts, which is compared with reads. */
    match_value: string
    asset_id: number | null
    location_id: number | null
    created_at: Generated<string>
    deleted_at: string | null
    revision: Generated<number>
    search_text: GeneratedAlways<string>
    /** One of two live barcodes or beacons that were equal when this became impossible (D19.2, D19.3). */
    is_twin: Generated<boolean>
  }
  /** Changes of the number of live assets. Their sum is that number (ADR 71). */
  asset_count: { org_id: number; id: GeneratedAlways<number>; n: number }
  outbox: OutboxTable
  import: ImportTable
  floor_plan: {
    org_id: number
    /** A location, or 0 for all. */
    place: number
    zones: JSONColumnType<Zone[]>
    readers: JSONColumnType<PlacedReader[]>
    image_hash: string | null
    version: number
    updated_at: Generated<string>
  }
  floor_image: {
    org_id: number
    /** SHA-256 of the bytes. */
    hash: string
    media_type: ImageType
    width: number
    height: number
    bytes: Buffer
  }
}

type ImportTable = {
  org_id: number
  id: Generated<number>
  resource: ImportResource
  dry_run: boolean
  /** The API does not show imports that are `uploading`. */
  state: 'uploading' | 'pending' | 'running' | 'done' | 'cancelled' | 'failed'
  /** Of the file, in its order. */
  columns: FileColumn[]
  /** The import that owns the lines: its own id, or that of the dry run that it applies. */
  file_id: number
  applied_from: number | null
  rows_total: Generated<number>
  /** The last processed line. */
  last_line: Generated<number>
  created: Generated<number>
  updated: Generated<number>
  unchanged: Generated<number>
  failed: Generated<number>
  warned: Generated<number>
  tags_removed: Generated<number>
  encoding: Generated<ImportEncoding>
  empty_cells: Generated<EmptyCells>
  first_names: Generated<string[]>
  /** Columns of the file that were not stored. */
  unread_columns: Generated<string[]>
  /** The lines are processed by `position`, because a location may name a parent of a later line. */
  is_reordered: Generated<boolean>
  created_by: number | null
  created_at: Generated<string>
  started_at: string | null
  finished_at: string | null
  deleted_at: string | null
  worker: string | null
  lease_until: string | null
  worked_at: Generated<string>
}

export type Tx = Transaction<Tables>
export type Db = Kysely<Tables> | Tx

/** Rows without the columns that only SQL uses. */
export type AssetRow = Omit<Selectable<Tables['asset']>, 'key_number' | 'search_text'>
/** With the key of the live home; null without one. */
export type AssetWithHome = AssetRow & { home_location_external_key: string | null }
export type LocationRow = Omit<Selectable<Tables['location']>, 'key_number' | 'search_text'>
export type TagRow = Omit<Selectable<Tables['tag']>, 'match_value' | 'search_text' | 'is_twin'>

const columnsOf = <T extends string, F extends Fields>(table: T, fields: F) =>
  (['org_id', 'revision', ...namesWith(fields, 'column')] as const).map((name) => `${table}.${name}` as const)

export const assetColumns = columnsOf('asset', assetFields)
export const locationColumns = columnsOf('location', locationFields)
