import { namesWith, type Field, type Fields } from '@whereabouts/contracts/rules/fields'
import { fieldsOf } from '../../db.ts'

type Column = { name: string; type: NonNullable<Field['column']> }

/** The columns of a row that an import reads and writes, with their SQL types. A parent and a home are stored by their ids. */
function columnsOf(fields: Fields, others: readonly string[]): Column[] {
  return [...others, ...namesWith(fields, 'imported')].flatMap((name) => {
    const type = fields[name]?.column
    return type ? [{ name, type }] : []
  })
}

export const writtenColumns = {
  asset: columnsOf(fieldsOf.asset, ['id', 'home_location_id']),
  location: columnsOf(fieldsOf.location, ['id', 'parent_id']),
}
