import { stringify } from 'csv-stringify/sync'

/** What spreadsheets take for the beginning of a formula, and a cell that was guarded against it. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A text that would be a formula gets an apostrophe in front; so does one that looks as if it had got it already. */
export const guarded = (value: string): string => (FORMULA.test(value) ? `'${value}` : value)

type Value = string | number | boolean | null

/** RFC 4180: the names of the columns, then the rows; lines end with CR LF, null is empty. */
export function csvFile<C extends string>(
  columns: readonly C[],
  rows: readonly Readonly<Record<C, Value>>[],
): string {
  const cells = rows.map((row) => columns.map((column) => cell(row[column])))
  return stringify([columns as readonly string[], ...cells] as string[][], { record_delimiter: '\r\n' })
}

const cell = (value: Value): string => (typeof value === 'string' ? guarded(value) : String(value ?? ''))
