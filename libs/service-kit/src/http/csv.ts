import { stringify } from 'csv-stringify/sync'

/** A text that a spreadsheet takes for a formula, also after apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Prepends an apostrophe to a text that would be a formula, or that looks escaped already. */
export const escapeFormula = (value: string): string => (FORMULA.test(value) ? `'${value}` : value)

export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell

/** Begins each CSV file. Without it, Excel reads UTF-8 as the characters of the computer's country. */
export const CSV_START = '\uFEFF'

type Value = string | number | boolean | null

/** A file by RFC 4180, after a byte order mark: the names of the columns, then the rows. Lines end with CR LF; null is an empty cell. */
export function csvFile<C extends string>(
  columns: readonly C[],
  rows: readonly Readonly<Record<C, Value>>[],
): string {
  const cells = rows.map((row) => columns.map((column) => cell(row[column])))
  return (
    CSV_START +
    stringify([columns as readonly string[], ...cells] as string[][], { record_delimiter: '\r\n' })
  )
}

const cell = (value: Value): string =>
  typeof value === 'string' ? escapeFormula(value) : String(value ?? '')
