import { stringify } from 'csv-stringify/sync'

/** A cell that a spreadsheet would read as a formula, or such a cell after `guarded`. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Puts an apostrophe before a text that would be a formula, and before a text that looks like the result of that. */
export const guarded = (value: string): string => (FORMULA.test(value) ? `'${value}` : value)

type Value = string | number | boolean | null

/** A file by RFC 4180: the names of the columns, then the rows. Lines end with CR LF; null is an empty cell. */
export function csvFile<C extends string>(
  columns: readonly C[],
  rows: readonly Readonly<Record<C, Value>>[],
): string {
  const cells = rows.map((row) => columns.map((column) => cell(row[column])))
  return stringify([columns as readonly string[], ...cells] as string[][], { record_delimiter: '\r\n' })
}

const cell = (value: Value): string => (typeof value === 'string' ? guarded(value) : String(value ?? ''))
