import type { assetFields } from '@whereabouts/contracts/resources/catalog/assets'
import {
  importColumns,
  type ImportResource,
  type RowError,
} from '@whereabouts/contracts/resources/catalog/imports'
import type { locationFields } from '@whereabouts/contracts/resources/catalog/locations'
import { uniqueForm } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { TagType } from '@whereabouts/contracts/resources/catalog/tags'
import type { Fields, NamesWith, ValueOf } from '@whereabouts/contracts/rules/fields'
import type { SentHome } from '../../assets/homes/home.rules.ts'

type Imported<F extends Fields> = {
  [K in Exclude<NamesWith<F, 'imported'>, 'external_key'>]: ValueOf<F[K]>
}
type OfAssets = Imported<typeof assetFields>
type OfLocations = Imported<typeof locationFields>
type Shared = keyof OfAssets & keyof OfLocations

/** The imported fields of an asset or a location, without its key and tags. Instants are texts in microseconds. */
export type ImportedFields = Pick<OfAssets, Shared> &
  Partial<Omit<OfAssets, Shared> & Omit<OfLocations, Shared>>

/** One row of a file, or one item of a batch, parsed. A field that the row does not name stays unchanged. */
export type RowInput = {
  line: number
  /** Undefined: a new resource, whose key is minted. */
  key: string | undefined
  fields: Partial<ImportedFields>
  /** Of an asset in a batch: its home, if it is sent by id. A file names it by key. */
  homeId?: number | null
  /** All tags of a type. */
  tags: Partial<Record<TagType, string[]>>
  /** The row has a name, valid or not. */
  isNamed: boolean
  /** Problems of the row that do not depend on stored rows. */
  errors: RowError[]
}

/** The home that a row names. */
export const sentHome = ({ homeId, fields: { home_location_external_key } }: RowInput): SentHome => ({
  home_location_id: homeId,
  home_location_external_key,
})

/** Each tag once, in the spelling that comes first. */
export function eachOnce(type: TagType, values: readonly string[]): string[] {
  const seen = new Set<string>()
  const isNew = (form: string) => !seen.has(form) && seen.add(form)
  return values.filter((value) => isNew(uniqueForm(type, value)))
}

/** The table of a resource. */
export const tableOf = { assets: 'asset', locations: 'location' } as const

export function inColumnOrder(resource: ImportResource, errors: readonly RowError[]): RowError[] {
  const columns: readonly string[] = importColumns[resource]
  return errors.toSorted((a, b) => columns.indexOf(a.field) - columns.indexOf(b.field))
}
