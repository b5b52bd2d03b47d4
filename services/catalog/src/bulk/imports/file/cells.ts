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
