import { codePoints } from '@whereabouts/contracts/rules/text'

/** The result of a command, for programs and for people. */
export type Report = { json: object; text: string }

/** A table with aligned columns; the first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable))
  const widths = cells[0]?.map((_, i) => Math.max(...cells.map((row) => codePoints(row[i] ?? '')))) ?? []
  const padded = (text: string, width = 0) => text + ' '.repeat(Math.max(0, width - codePoints(text)))
  return cells
    .map((row) =>
      row
        .map((cell, i) => padded(cell, widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names come from customers: replaces characters that move the cursor or change the text direction. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '\u{FFFD}')

/** A note on rows outside the page, or an empty string. */
export function pageNote(
  { offset, total_count }: { offset: number; total_count: number },
  shown: number,
): string {
  if (shown === total_count) return ''
  const rows = shown === 0 ? 'No rows here' : `Rows ${offset + 1} to ${offset + shown}`
  return `\n${rows} of ${total_count}; see --limit and --offset.`
}
