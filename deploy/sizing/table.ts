import type { Needs } from './sizing.ts'

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** `12 700 000 000` as `12.7 GB`: three digits that count, as no estimate has more. */
export function bytes(value: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), BYTES.length - 1)
  return `${threeDigits(value / 1000 ** power)} ${BYTES[power]}`
}

/** Three digits that count, thousands apart. */
export function threeDigits(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  const rounded = digits === 0 ? Number(value.toPrecision(3)) : Number(value.toFixed(Math.min(digits, 3)))
  return rounded.toLocaleString('en').replaceAll(',', ' ')
}

const ROWS: readonly [string, (needs: Needs) => string][] = [
  ['reader connections', (n) => threeDigits(n.connections)],
  ['reader messages/s', (n) => threeDigits(n.messagesPerSecond)],
  ['reads/s', (n) => threeDigits(n.readsPerSecond)],
  ['rows of history/s', (n) => threeDigits(n.rowsPerSecond)],
  ['rows of history a day', (n) => threeDigits(n.rowsPerDay)],
  ['movements/s', (n) => threeDigits(n.movesPerSecond)],
  ['requests/s', (n) => threeDigits(n.requestsPerSecond)],
  ['cores for reads', (n) => threeDigits(n.cores.reads)],
  ['cores for rows', (n) => threeDigits(n.cores.rows)],
  ['cores for deliveries', (n) => threeDigits(n.cores.deliveries)],
  ['cores for requests', (n) => threeDigits(n.cores.requests)],
  ['cores busy in all', (n) => threeDigits(n.cores.total)],
  ['history a day', (n) => bytes(n.historyBytesPerDay)],
  ['history kept', (n) => bytes(n.historyBytes)],
  ['assets and tags, both schemas', (n) => bytes(n.catalogBytes)],
  ['SCANS, written a second', (n) => bytes(n.scansBytesPerSecond)],
  ['SCANS, kept for 72 hours', (n) => bytes(n.scansBytes)],
  ['EVENTS, kept for 7 days', (n) => bytes(n.eventsBytes)],
  ['CATALOG', (n) => bytes(n.catalogStreamBytes)],
  ['memory of a tracking replica', (n) => bytes(n.trackingBytes)],
]

/** A column for each installation, as a Markdown table. */
export function sizingTable(columns: readonly { title: string; needs: Needs }[]): string {
  const head = ['', ...columns.map(({ title }) => title)]
  const rows = ROWS.map(([name, show]) => [name].concat(columns.map(({ needs }) => show(needs))))
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i]!.length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
