import { AssetPatch } from '@whereabouts/contracts/resources/catalog/assets'
import type { Field, Fields } from '@whereabouts/contracts/rules/fields'
import {
  type EmptyCells,
  type FileColumn,
  type ImportResource,
  type RowError,
} from '@whereabouts/contracts/resources/catalog/imports'
import { LocationPatch } from '@whereabouts/contracts/resources/catalog/locations'
import { normalTagValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { TagCreate, tagTypes, type TagType } from '@whereabouts/contracts/resources/catalog/tags'
import { NaturalKey } from '@whereabouts/contracts/rules/text'
import { unescapeFormula } from '@whereabouts/service-kit/http/csv'
import { fieldEntries } from '@whereabouts/service-kit/errors/field-entries'
import { parseMetadata } from '@whereabouts/service-kit/http/json-text'
import { z } from 'zod'
import { eachOnce, inColumnOrder, tableOf, type ImportedFields, type RowInput } from '../../plan/row-input.ts'
import { fieldsOf } from '../../../db.ts'
import { splitValues } from './cells.ts'
import type { CsvRow } from './csv.ts'

const schemas = { assets: AssetPatch, locations: LocationPatch }
const KeyCell = z.object({ external_key: NaturalKey })

/** Checks a row with the schemas of PATCH, so that errors are the same as in the API. `keep`: empty cells are as absent. */
export function readRow(
  resource: ImportResource,
  columns: readonly FileColumn[],
  { line, cells }: CsvRow,
  emptyCells: EmptyCells = 'clear',
): RowInput {
  const all = columns.map((column, i) => [column, unescapeFormula(cells[i] ?? '')] as const)
  const given = new Map(emptyCells === 'keep' ? all.filter(([, cell]) => cell !== '') : all)
  const [key, { tags, errors: tagErrors }] = [given.get('external_key') || undefined, tagsIn(given)]
  const fields = parse(schemas[resource], fieldsIn(resource, given))
  const errors = [
    ...fields.errors,
    ...(key === undefined ? [] : parse(KeyCell, { external_key: key }).errors),
    ...tagErrors,
    ...deletedProblems(given),
  ]
  return {
    line,
    key,
    fields: fields.data as Partial<ImportedFields>,
    tags,
    isNamed: Boolean(given.get('name')),
    errors: inColumnOrder(resource, errors),
  }
}

/** The cells as a request body, without key and tags. */
function fieldsIn(resource: ImportResource, given: ReadonlyMap<string, string>): Record<string, unknown> {
  const fields: Fields = fieldsOf[tableOf[resource]]
  const entries = [...given].flatMap(([column, cell]) => {
    const field = column === 'external_key' ? undefined : fields[column]
    const value = field?.imported && valueOf(field, cell)
    return value === undefined ? [] : [[column, value] as const]
  })
  return Object.fromEntries(entries)
}

/** The value of a cell. An empty cell clears a field that may be null, and leaves any other alone. */
function valueOf(field: Field, cell: string): unknown {
  if (cell === '') return field.default === null ? null : undefined
  if (field.column === 'boolean') return booleans.get(cell.toLowerCase()) ?? cell // spreadsheets write TRUE
  return field.column === 'jsonb' ? json(cell) : cell
}

const booleans = new Map([['true', true], ['false', false]]) // oxfmt-ignore

/** Text that is not JSON remains text, which the schema refuses. */
function json(cell: string): unknown {
  try {
    return parseMetadata(cell)
  } catch {
    return cell
  }
}

/** An export may contain deleted rows. An import would create them again, without their history. */
function deletedProblems(given: ReadonlyMap<FileColumn, string>): RowError[] {
  if (!given.get('deleted_at')) return []
  const message = 'This row is deleted. Restore it in the console, or remove the row from the file'
  return [{ field: 'deleted_at', code: 'read_only', message }]
}

/** The distinct values of the tag columns, and at most one problem per column. */
function tagsIn(given: ReadonlyMap<FileColumn, string>): Pick<RowInput, 'tags' | 'errors'> {
  const tags: RowInput['tags'] = {}
  const errors: RowError[] = []
  for (const type of tagTypes) {
    const cell = given.get(type)
    if (cell === undefined) continue
    const values = cell.length > MAX_TAG_CELL ? [] : valuesIn(type, cell)
    const problem =
      cell.length > MAX_TAG_CELL || values.length > MAX_TAG_VALUES
        ? tooManyValues(type)
        : firstProblem(type, values)
    tags[type] = values.slice(0, MAX_TAG_VALUES)
    if (problem) errors.push(problem)
  }
  return { tags, errors }
}

const valuesIn = (type: TagType, cell: string): string[] =>
  eachOnce(
    type,
    splitValues(cell).map((value) => normalTagValue(type, value)),
  )

/** More than any resource has. Each value costs a lookup. */
const MAX_TAG_VALUES = 1_000
/** The length of that many values with every character escaped. */
const MAX_TAG_CELL = 256 * 1024

const tooManyValues = (type: TagType): RowError => ({
  field: type,
  code: 'too_long',
  message: `${type} must contain at most ${MAX_TAG_VALUES} values`,
  params: { max_length: MAX_TAG_VALUES },
})

function firstProblem(type: TagType, values: readonly string[]): RowError | undefined {
  for (const value of values) {
    const [problem] = parse(TagCreate, { tag_type: type, value }).errors
    if (problem) return { ...problem, field: type, message: problem.message.replace('value', type) }
  }
  return undefined
}

function parse(schema: z.ZodType, input: Record<string, unknown>): { data: unknown; errors: RowError[] } {
  const { success, data, error } = schema.safeParse(input, { reportInput: true })
  return success ? { data, errors: [] } : { data: {}, errors: fieldEntries(error.issues, 'body') }
}
