/** Converts values to cells and back. Each value survives the round trip. */

/** A text that a spreadsheet takes for a formula, also after apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Prepends an apostrophe to a text that would be a formula, or that looks escaped already. */
export const escapeFormula = (value: string): string => (FORMULA.test(value) ? `'${value}` : value)

export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell

/** Joins several values with `|`. Inside a value, `|` becomes `\|` and a backslash `\\`. */
export const joinValues = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|')

/** The reverse of `joinValues`. A backslash before another character remains. An empty cell contains no value. */
export function splitValues(cell: string): string[] {
  if (cell === '') return []
  const values = ['']
  for (const [part] of cell.matchAll(/\\[\\|]|[^\\|]+|[\\|]/g)) {
    if (part === '|') values.push('')
    else values.push(`${values.pop() ?? ''}${/^\\[\\|]$/.test(part) ? part.slice(1) : part}`)
  }
  return values
}
