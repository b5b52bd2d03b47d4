import type { FieldEntry } from '@whereabouts/contracts/errors'
import {
  importColumns,
  readOnlyColumns,
  type FileColumn,
  type ImportResource,
} from '@whereabouts/contracts/resources/catalog/imports'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'

/** The field of a header, by the request. An empty one: the column is ignored. */
export type Assignments = readonly (readonly [header: string, field: string])[]

export type Header = {
  /** The columns that are read, in the order of the file. */
  columns: FileColumn[]
  /** The place of each of them in a row. */
  places: number[]
  /** The other headers. */
  ignored: string[]
}

/** Case, spaces, `_` and `-` do not distinguish headers, and neither do invisible characters. */
const spelling = (header: string) =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_\-\p{Cf}]+/gu, '')

/**
 * The columns of the header, in its order. Throws all problems, unknown columns first, like for a body. `name` is
 * needed to create, `external_key` to update; one of them must be there. Columns that only exports write are known.
 */
export function readHeader(
  resource: ImportResource,
  cells: readonly string[],
  assignments: Assignments = [],
): Header {
  const known: readonly FileColumn[] = [...importColumns[resource], ...readOnlyColumns[resource]]
  const named = new Map<string, string>(known.map((column) => [spelling(column), column]))
  const headers = cells.map((cell) => cell.trim())
  const assigned = assignedTo(headers, known, assignments)
  const found = headers.map((header, place) => {
    const name = spelling(header)
    const column = assigned.get(spelling(shortened(header))) ?? named.get(name)
    return { header, place, column: column as FileColumn | '' | undefined }
  })
  const read = found.filter(({ column }) => column) as { header: string; place: number; column: FileColumn }[]
  rejectIfAny([...unknownColumns(found), ...repeated(read), ...missing(read.map(({ column }) => column))])
  return {
    columns: read.map(({ column }) => column),
    places: read.map(({ place }) => place),
    ignored: found.flatMap(({ header, column }) => (column === '' ? [shortened(header)] : [])),
  }
}

/** By the spelling of the header. Throws if the request names a header or a field that does not exist. */
function assignedTo(
  headers: readonly string[],
  known: readonly FileColumn[],
  assignments: Assignments,
): Map<string, string> {
  const present = new Set(headers.map((header) => spelling(shortened(header))))
  const assigned = new Map<string, string>()
  const problem = (message: string): FieldEntry => ({ field: 'column', code: 'invalid_value', message })
  const problems = assignments.flatMap(([header, field]): FieldEntry[] => {
    const [name, isKnown] = [spelling(shortened(header)), known.some((column) => column === field)]
    if (!present.has(name)) return [problem(`column "${shortened(header)}" is not in the file`)]
    if (field !== '' && !isKnown) return [problem(`column must name one of: ${known.join(', ')}`)]
    if (assigned.has(name) && assigned.get(name) !== field)
      return [problem(`column "${shortened(header)}" has two fields`)]
    assigned.set(name, field)
    return []
  })
  rejectIfAny(problems)
  return assigned
}

type Found = { header: string; column: FileColumn | '' | undefined }

function unknownColumns(found: readonly Found[]): FieldEntry[] {
  const others = found.flatMap(({ header, column }) => (column === undefined ? [shortened(header)] : []))
  return [...new Set(others)].toSorted().map((name) => ({
    field: name,
    code: 'unknown_field',
    message: name === '' ? 'a column has no name' : `unknown column "${name}"`,
  }))
}

/** An unknown name may be very long. */
const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)

function repeated(read: readonly { header: string; column: FileColumn }[]): FieldEntry[] {
  const byColumn = Map.groupBy(read, ({ column }) => column)
  return [...byColumn].flatMap(([field, columns]): FieldEntry[] => {
    if (columns.length === 1) return []
    const headers = [...new Set(columns.map(({ header }) => header))]
    const quoted = headers.map((header) => `"${shortened(header)}"`).join(' and ')
    const message =
      headers.length === 1
        ? `column ${quoted} appears more than once`
        : `columns ${quoted} are both ${field}; rename or remove one of them`
    return [{ field, code: 'ambiguous_fields', message }]
  })
}

const missing = (columns: readonly FileColumn[]): FieldEntry[] =>
  columns.includes('name') || columns.includes('external_key')
    ? []
    : [{ field: 'name', code: 'required', message: 'name is required' }]
