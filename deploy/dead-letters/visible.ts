// Makes untrusted text safe for a terminal: a control character could move the cursor or hide a line.

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Control and formatting characters as `\u{…}`; with `lines`, line breaks stay. */
export const visible = (text: string, { lines = false } = {}): string =>
  text.replaceAll(UNSEEN, (character) =>
    lines && character === '\n' ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  )

/** JSON without such characters and with the same meaning. */
export const visibleJson = (value: unknown, space = 0): string =>
  JSON.stringify(value, undefined, space).replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : escaped(character),
  )

const escaped = (character: string) =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** Aligned columns; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
