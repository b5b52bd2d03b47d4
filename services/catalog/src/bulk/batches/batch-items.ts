import { AssetBatchItem, LocationBatchItem } from '@whereabouts/contracts/resources/catalog/batches'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { namesWith, type Fields } from '@whereabouts/contracts/rules/fields'
import { fieldEntries } from '@whereabouts/service-kit/errors/field-entries'
import { fieldsOf } from '../../db.ts'
import { eachOnce, type ImportedFields, type RowInput } from '../plan/row-input.ts'

type Table = 'asset' | 'location'

/** An item as a row of an import, whose line is its index, or what is wrong with it. */
export type Item =
  | { row: RowInput & { key: string }; parentId: number | undefined }
  | { index: number; key: string | undefined; problems: readonly FieldEntry[] }

const schemas = { asset: AssetBatchItem, location: LocationBatchItem }

/** Checks one item, so that its problems have the texts of a single create, with fields within the item. */
export function readItem(table: Table, sent: unknown, index: number): Item {
  const { data, error } = schemas[table].safeParse(sent, { reportInput: true })
  if (!data)
    return { index, key: keyOf(sent), problems: problemsOf(sent, fieldEntries(error.issues, 'body')) }
  const { external_key: key, tags, ...item }: Sent = data
  if (item.parent_id === null) item.parent_external_key = null
  const fields = Object.fromEntries(
    importedNames[table].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  ) as Partial<ImportedFields>
  const row = {
    line: index,
    key,
    fields,
    tags: tags ? byType(tags) : {},
    isNamed: item.name !== undefined,
    errors: [],
    ...(item.home_location_id !== undefined && { homeId: item.home_location_id }),
  }
  return { row, parentId: typeof item.parent_id === 'number' ? item.parent_id : undefined }
}

type Sent = { external_key: string } & Pick<AssetBatchItem, 'tags' | 'home_location_id'> &
  Record<string, unknown>

const namesOf = (fields: Fields) => namesWith(fields, 'imported').filter((name) => name !== 'external_key')
const importedNames = { asset: namesOf(fieldsOf.asset), location: namesOf(fieldsOf.location) }

/** All types, because `tags` is the whole set. */
const byType = (tags: NonNullable<AssetBatchItem['tags']>) =>
  Object.fromEntries(
    tagTypes.map((type) => {
      const ofType = tags.filter(({ tag_type }) => tag_type === type)
      return [
        type,
        eachOnce(
          type,
          ofType.map(({ value }) => value),
        ),
      ]
    }),
  )

/** Also of an item with problems, because a later item with its key fails too. */
const keyOf = (sent: unknown): string | undefined => {
  const key = isObject(sent) ? sent.external_key : undefined
  return typeof key === 'string' ? key : undefined
}

const isObject = (sent: unknown): sent is Record<string, unknown> =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent)

const problemsOf = (sent: unknown, entries: readonly FieldEntry[]): readonly FieldEntry[] =>
  isObject(sent) ? entries : [{ field: 'item', code: 'invalid_value', message: 'item must be an object' }]
