import type { FieldEntry } from '@whereabouts/contracts/errors'
import {
  importColumns,
  readOnlyColumns,
  type FileColumn,
  type ImportResource,
} from '@whereabouts/contracts/resources/catalog/imports'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'

/**
 * The columns of the header, in its order. Throws all problems, unknown columns first, like for a body. `name` is
 * needed to create, `external_key` to update; one of them must be there. Columns that only exports write are known.
 */
export function readHeader(resource: ImportResource, cells: readonly string[]): FileColumn[] {
  const names = cells.map((cell) => cell.trim())
  const columns: readonly FileColumn[] = [...importColumns[resource], ...readOnlyColumns[resource]]
  const known = names.filter((name): name is FileColumn => columns.some((column) => column === name))
  rejectIfAny([...unknown(names, known), ...repeated(known), ...missing(known)])
  return known
}

function unknown(names: readonly string[], known: readonly string[]): FieldEntry[] {
  const others = [...new Set(names.filter((name) => !known.includes(name)))].toSorted()
  return others.map((name) => ({
    field: shortened(name),
    code: 'unknown_field',
    message: name === '' ? 'a column has no name' : `unknown column "${shortened(name)}"`,
  }))
}

/** An unknown name may be very long. */
const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)

function repeated(known: readonly string[]): FieldEntry[] {
  const twice = new Set(known.filter((name, i) => known.indexOf(name) !== i))
  return [...twice].map((name) => ({
    field: name,
    code: 'ambiguous_fields',
    message: `column "${name}" appears more than once`,
  }))
}

const missing = (known: readonly FileColumn[]): FieldEntry[] =>
  known.includes('name') || known.includes('external_key')
    ? []
    : [{ field: 'name', code: 'required', message: 'name is required' }]
