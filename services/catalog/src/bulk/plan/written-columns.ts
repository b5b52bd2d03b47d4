import { namesWith, type Field, type Fields } from '@whereabouts/contracts/rules/fields'
import { fieldsOf } from '../../db.ts'

type Column = { name: string; type: NonNullable<Field['column']> }

/** The columns of a row that an import reads and writes, with their SQL types. A parent is stored by its id. */
function columnsOf(fields: Fields, others: readonly string[]): Column[] {
  return [...others, ...namesWith(fields, 'imported')].flatMap((name) => {
    const type = fields[name]?.column
    return type ? [{ name, type }] : []
  })
}

export const writtenColumns = {
  asset: columnsOf(fieldsOf.asset, ['id']),
  location: columnsOf(fieldsOf.location, ['id', 'parent_id']),
}
