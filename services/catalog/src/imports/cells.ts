/**
 * How values are written into the cells of a file, and read from them. For every value, reading what was written gives
 * the value back.
 */

/** What spreadsheets take for the beginning of a formula, and a cell that was guarded against it. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A text that would be a formula gets an apostrophe in front; so does one that looks as if it had got it already. */
export const guarded = (value: string): string => (FORMULA.test(value) ? `'${value}` : value)

export const unguarded = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell

/** Several values in one cell, with `|` between them; one that belongs to a value is written `\|`, a backslash `\\`. */
export const joined = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|')

/** A backslash before anything else stands for itself. An empty cell holds no value. */
export function split(cell: string): string[] {
  if (cell === '') return []
  const values = ['']
  for (const [part] of cell.matchAll(/\\[\\|]|[^\\|]+|[\\|]/g)) {
    if (part === '|') values.push('')
    else values.push(`${values.pop() ?? ''}${/^\\[\\|]$/.test(part) ? part.slice(1) : part}`)
  }
  return values
}
