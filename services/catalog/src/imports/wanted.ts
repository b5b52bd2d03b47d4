import { AssetPatch } from '@whereabouts/contracts/assets'
import {
  importColumns,
  type ImportColumn,
  type ImportResource,
  type RowError,
} from '@whereabouts/contracts/imports'
import { LocationPatch } from '@whereabouts/contracts/locations'
import { TagCreate, tagTypes, type TagType } from '@whereabouts/contracts/tags'
import { NaturalKey } from '@whereabouts/contracts/text'
import { fieldEntries } from '@whereabouts/service-kit/field-entries'
import { parseMetadata } from '@whereabouts/service-kit/json-text'
import { z } from 'zod'
import { split, unguarded } from './cells.ts'
import type { CsvRow } from './csv.ts'

/** What an asset or a location is, but for its key and tags. Instants are texts in microseconds. */
export type Fields = {
  name: string
  description: string | null
  /** Of assets. */
  type?: string
  /** Of assets. */
  metadata?: Record<string, unknown>
  /** Of locations. */
  parent_external_key?: string | null
  is_active: boolean
  valid_from: string
  valid_to: string | null
}

/** What a row asks for. What it does not say is left out, and left alone. */
export type Wanted = {
  line: number
  /** Undefined: a new thing, whose key is minted. */
  key: string | undefined
  fields: Partial<Fields>
  /** All tags of a type. */
  tags: Partial<Record<TagType, string[]>>
  /** It says a name, whatever is wrong with that. */
  isNamed: boolean
  /** What is wrong with the row whatever is stored. */
  errors: RowError[]
}

const schemas = { assets: AssetPatch, locations: LocationPatch }
const KeyCell = z.object({ external_key: NaturalKey })
const tagCells = {
  rfid: z.object({ rfid: TagCreate.shape.value }),
  ble: z.object({ ble: TagCreate.shape.value }),
  barcode: z.object({ barcode: TagCreate.shape.value }),
}

/** Judged by the schemas of the API, in whose words problems are told; their fields are the columns. */
export function readRow(
  resource: ImportResource,
  columns: readonly ImportColumn[],
  { line, cells }: CsvRow,
): Wanted {
  const given = new Map(columns.map((column, i) => [column, unguarded(cells[i] ?? '')]))
  const [key, { tags, errors: tagErrors }] = [given.get('external_key') || undefined, tagsIn(given)]
  const fields = parse(schemas[resource], fieldsIn(given))
  const errors = [
    ...fields.errors,
    ...(key === undefined ? [] : parse(KeyCell, { external_key: key }).errors),
    ...tagErrors,
  ]
  return {
    line,
    key,
    fields: fields.data as Partial<Fields>,
    tags,
    isNamed: Boolean(given.get('name')),
    errors: inColumnOrder(resource, errors),
  }
}

export function inColumnOrder(resource: ImportResource, errors: readonly RowError[]): RowError[] {
  const columns: readonly string[] = importColumns[resource]
  return errors.toSorted((a, b) => columns.indexOf(a.field) - columns.indexOf(b.field))
}

/** Values of the cells that say something, as a request body would have them. */
function fieldsIn(given: ReadonlyMap<ImportColumn, string>): Record<string, unknown> {
  const entries = [...given].map(([column, cell]) => [column, meaning[column]?.(cell)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** An empty cell clears what can be cleared, and says nothing otherwise. */
const orNull = (cell: string) => (cell === '' ? null : cell)
const orNothing = (cell: string) => (cell === '' ? undefined : cell)

const meaning: Partial<Record<ImportColumn, (cell: string) => unknown>> = {
  name: orNothing,
  description: orNull,
  type: orNothing,
  parent_external_key: orNull,
  is_active: (cell) => booleans.get(cell.toLowerCase()) ?? orNothing(cell), // spreadsheets write TRUE
  valid_from: orNothing,
  valid_to: orNull,
  metadata: (cell) => (cell === '' ? undefined : json(cell)),
}

const booleans = new Map([['true', true], ['false', false]]) // prettier-ignore

/** What is no JSON stays a text, which the schema refuses. */
function json(cell: string): unknown {
  try {
    return parseMetadata(cell)
  } catch {
    return cell
  }
}

/** The values of the cells, each once, and what is wrong with them: one problem for each column. */
function tagsIn(given: ReadonlyMap<ImportColumn, string>): Pick<Wanted, 'tags' | 'errors'> {
  const tags: Wanted['tags'] = {}
  const errors: RowError[] = []
  for (const type of tagTypes) {
    const cell = given.get(type)
    if (cell === undefined) continue
    const values = cell.length > MAX_TAG_CELL ? [] : [...new Set(split(cell))]
    const problem =
      cell.length > MAX_TAG_CELL || values.length > MAX_TAG_VALUES
        ? tooManyValues(type)
        : firstProblem(type, values)
    tags[type] = values.slice(0, MAX_TAG_VALUES)
    if (problem) errors.push(problem)
  }
  return { tags, errors }
}

/** More than anything has, also from before there was a limit; each costs a look at the tags that are stored. */
const MAX_TAG_VALUES = 1_000
/** As long as all of them can be, with each character escaped. */
const MAX_TAG_CELL = 256 * 1024

const tooManyValues = (type: TagType): RowError => ({
  field: type,
  code: 'too_long',
  message: `${type} must contain at most ${MAX_TAG_VALUES} values`,
  params: { max_length: MAX_TAG_VALUES },
})

function firstProblem(type: TagType, values: readonly string[]): RowError | undefined {
  for (const value of values) {
    const [problem] = parse(tagCells[type], { [type]: value }).errors
    if (problem) return problem
  }
  return undefined
}

function parse(schema: z.ZodType, input: Record<string, unknown>): { data: unknown; errors: RowError[] } {
  const { success, data, error } = schema.safeParse(input, { reportInput: true })
  return success ? { data, errors: [] } : { data: {}, errors: fieldEntries(error.issues, 'body') }
}
