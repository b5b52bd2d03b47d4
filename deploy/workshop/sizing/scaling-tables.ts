// Writes the tables of docs/scaling.md that follow from measured costs. Run it after changing a cost or a size:
//   node deploy/workshop/sizing/scaling-tables.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { amount, bytes, count } from './figures.ts'
import { COSTS, historyBytes, loadOf, scansBytes } from './load.ts'
import { backupHours, bucketBytes, needsOf, SIZES, streamBytes } from './sizes.ts'

const PAGE = join(import.meta.dirname, '../../../docs/scaling.md')
const COLUMNS = [10, 1_000, 10_000, 100_000]

type Load = ReturnType<typeof loadOf>
const ROWS: [title: string, value: (load: Load, organizations: number) => string][] = [
  ['reader connections', ({ readers }) => count(readers)],
  ['reader messages/s', ({ messages }) => count(messages)],
  ['the same, if all readers use MQTT', ({ messages }) => count(2 * messages)],
  ['reads/s', ({ reads }) => count(reads)],
  ['rows of history/s', ({ rows }) => count(rows)],
  ['rows of history a day', ({ rowsPerDay }) => count(rowsPerDay)],
  ['movements/s', ({ movements }) => amount(movements)],
  ['requests/s', ({ requests }) => count(requests)],
  ['cores for reads', ({ cores }) => amount(cores.reads)],
  ['cores for rows', ({ cores }) => amount(cores.rows)],
  ['cores for deliveries', ({ cores }) => amount(cores.deliveries)],
  ['cores for requests', ({ cores }) => amount(cores.requests)],
  ['cores busy in all', ({ coresInAll }) => amount(coresInAll)],
  ['their size as rows', ({ rowBytesPerDay }) => bytes(rowBytesPerDay)],
  ['their size in packed days', ({ packedBytesPerDay }) => bytes(packedBytesPerDay)],
  ['processor time to pack a day', ({ packingSecondsPerDay }) => `${amount(packingSecondsPerDay / 3_600)} h`],
  ['movements a day', ({ movementBytesPerDay }) => bytes(movementBytesPerDay)],
  ['history kept with `RETENTION_DAYS=400`', (_, organizations) => bytes(historyBytes(organizations, 400))],
  ['history kept with `RETENTION_DAYS=60`', (_, organizations) => bytes(historyBytes(organizations, 60))],
  ['write-ahead log a day', ({ walBytesPerDay }) => bytes(walBytesPerDay)],
  ['assets and tags, both schemas', ({ assetBytes }) => bytes(assetBytes)],
  ['feed and deliveries in PostgreSQL, kept for 7 days', ({ feedBytes }) => bytes(feedBytes)],
  ['SCANS, written a second', ({ scansBytesPerSecond }) => bytes(scansBytesPerSecond)],
  [
    'SCANS, kept for 72 hours, before compression',
    (_, organizations) => bytes(scansBytes(organizations, 72)),
  ],
  ['the same on disk', (_, organizations) => bytes(scansBytes(organizations, 72) / COSTS.messageCompression)],
  ['EVENTS, kept for 7 days', ({ eventsBytes }) => bytes(eventsBytes)],
  ['CATALOG', ({ catalogBytes }) => bytes(catalogBytes)],
  ['memory of a tracking replica', ({ trackingMemoryBytes }) => bytes(trackingMemoryBytes)],
]

const loads = (): string[][] => [
  ['', ...COLUMNS.map((organizations) => `${count(organizations)} organizations`)],
  ['---', ...COLUMNS.map(() => '---:')],
  ...ROWS.map(([title, value]) => [title].concat(COLUMNS.map((each) => value(loadOf(each), each)))),
]

const overlays = (): string[][] => [
  [
    'Overlay',
    'Organizations',
    '`RETENTION_DAYS`',
    'Database',
    'Its backup with one job',
    'Bucket before gzip',
    'Tracking may be down',
    '`SCANS_MAX_BYTES`',
    'Limits of all streams, each broker',
  ],
  ['---', ...Array.from({ length: 8 }, () => '---:')],
  ...Object.entries(SIZES).map(([name, size]) => {
    const { databaseBytes, scansMaxBytes } = needsOf(size)
    return [
      `\`${name}\``,
      count(size.organizations),
      String(size.retentionDays),
      bytes(databaseBytes),
      `${amount(backupHours(databaseBytes, 1))} h`,
      size.addOns ? bytes(bucketBytes(size.organizations, databaseBytes)) : 'none',
      `${size.bufferHours} h`,
      bytes(scansMaxBytes),
      bytes(streamBytes(size.organizations, scansMaxBytes)),
    ]
  }),
]

const table = (rows: readonly string[][]) => rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')

/** Without the padding that the formatter adds. */
const normal = (text: string) =>
  text.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| ').replaceAll(/-{3,}/g, '---')

const TABLES: [begin: RegExp, rows: () => string[][]][] = [
  [/^\|\s+\| +10 organizations.*\n(?:\|.*\n)+/m, loads],
  [/^\| Overlay .*\n(?:\|.*\n)+/m, overlays],
]

/** The page as it is, and as the costs and sizes have it. Throws when a table is missing. */
export function scalingPage(): { documented: string; actual: string } {
  const text = readFileSync(PAGE, 'utf8')
  const written = TABLES.reduce((page, [begin, rows]) => {
    if (!begin.test(page)) throw new Error(`docs/scaling.md has no table that matches ${begin}`)
    return page.replace(begin, () => table(rows()))
  }, text)
  return { documented: normal(text), actual: normal(written) }
}

if (import.meta.main) writeFileSync(PAGE, scalingPage().actual)
