import { InvalidArgumentError } from 'commander'

/** A column of a table: its title, and its text for a row. */
export type Column<Row> = [title: string, text: (row: Row) => string | null]

/** Rows for people, as a table, or for programs, as one JSON value per line. */
export async function print<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  columns: readonly Column<Row>[],
  { json = false, csv = false, limit = Number.POSITIVE_INFINITY }: { json?: boolean; csv?: boolean; limit?: number },
): Promise<void> {
  const shown: Row[] = []
  for await (const row of rows) {
    if (json) write(`${JSON.stringify(row)}\n`)
    shown.push(row)
    if (shown.length >= limit) break
  }
  if (csv) write([columns.map(([title]) => title.toLowerCase()), ...shown.map((row) => columns.map(([, text]) => text(row)))].map(csvLine).join(''))
  else if (!json) write(table(shown, columns))
} // oxfmt-ignore

/** A line of CSV that a spreadsheet does not calculate. */
export const csvLine = (texts: readonly (string | null)[]): string => `${texts.map(cellOf).join(',')}\n`

function cellOf(text: string | null): string {
  const safe = /^[=+\-@\t\r]/.test(text ?? '') ? `'${text}` : (text ?? '')
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return 'Nothing found.\n'
  const cells = rows.map((row) => columns.map(([, text]) => shown(text(row))))
  const lines = [columns.map(([title]) => title), ...cells]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  return lines.map((line) => `${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ').trimEnd()}\n`).join('') // oxfmt-ignore
}

/** Reads the value of an option that is a whole number. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, 1 or more.')
}

/** One line, without what could control a terminal. */
const shown = (text: string | null): string => text?.replaceAll(/\p{Cc}/gu, ' ') ?? '-'

export const write = (text: string): void => void process.stdout.write(text)

/** For people, who may have sent the output elsewhere. */
export const say = (text: string): void => void process.stderr.write(text)

/** Shows progress of long work in one line of a terminal, or the end of it alone. `end` returns what was counted. */
export function progress(what: string) {
  const counts = new Map<string, number>()
  let total = 0
  const line = () => `${what}: ${total}${[...counts].map(([name, n]) => `, ${n} ${name}`).join('')}`
  return {
    count(outcome?: string) {
      total += 1
      if (outcome !== undefined) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      if (process.stderr.isTTY) say(`\r${line()}`)
    },
    end(): Map<string, number> {
      say(process.stderr.isTTY ? '\n' : `${line()}\n`)
      return counts
    },
  }
}
