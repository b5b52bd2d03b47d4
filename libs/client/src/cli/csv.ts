import { createReadStream, createWriteStream } from 'node:fs'
import { stdin, stdout } from 'node:process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Argument, Option, type Command } from 'commander'
import { parse } from 'csv-parse'
import { ApiError, type components } from '../client.ts'
import type { AssetFields, LocationFields } from '../upsert.ts'
import { delimiterOf, peekHeader, separatorOf } from './delimiter.ts'
import { doubtOf } from './doubts.ts'
import { exportFiles } from './export-files.ts'
import { utf8Of } from './file-text.ts'
import { csvLine, progress, say } from './output.ts'
import { INTERRUPTED, open, UsageError } from './settings.ts'

export type Row = Record<string, string>
type Parse = (text: string, column: string) => unknown
type ColumnsOf<Fields> = Readonly<Record<'external_key' | keyof Fields, Parse>>

const asText: Parse = (text) => text
const shared = { external_key: asText, name: asText, description: asText }
const window = { valid_from: asText, valid_to: asText, is_active: booleanOf }

/** The columns in the order of an export. The types ask for each field of the API; a file names parents and homes by their key. */
const COLUMNS = {
  assets: {
    ...shared,
    type: asText,
    home_location_external_key: asText,
    ...window,
    metadata: objectOf,
    tags: tagsOf,
  },
  locations: { ...shared, parent_external_key: asText, ...window, tags: tagsOf },
} satisfies {
  assets: ColumnsOf<Omit<AssetFields, 'home_location_id'>>
  locations: ColumnsOf<Omit<LocationFields, 'parent_id'>>
}
export type Resource = keyof typeof COLUMNS
const namesOf = (resource: Resource): string[] => Object.keys(COLUMNS[resource])

/** Done in part: some rows were refused. */
export const IN_PART = 4
const OF_ROW = new Set([400, 403, 404, 409, 413, 415, 422])
/** What has a time, and is exported by day. */
const OF_DAYS = ['history', 'movements'] as const
/** Doubtful rows that are printed. */
const EXAMPLES = 5
/** Requests of an import at a time. */
const AT_ONCE = 4

/** Many rows at once, as CSV. */
export function addCsvCommands(program: Command): void {
  program
    .command('import')
    .description('create or change the rows of a CSV file by their external_key; - is standard input')
    .addArgument(new Argument('<resource>').choices(Object.keys(COLUMNS)))
    .argument('<file>')
    .addHelpText('after', `
Columns, in any order; external_key and name are needed:
  assets     ${namesOf('assets').join(', ')}
  locations  ${namesOf('locations').join(', ')}
Commas, semicolons or tabs between the columns, or what a first line sep=; names. UTF-8, UTF-16 or Windows-1252. An empty cell changes nothing. Tags are separated by spaces, as in rfid:E280 barcode:4006. Metadata is a JSON object. Locations come after their parents.
Refused rows are printed, and the others are kept: repair the file and run it again.`)
    .action(importFile)
  program
    .command('export')
    .description('write all rows as CSV, or history and movements as files of a folder')
    .addArgument(new Argument('<resource>').choices([...Object.keys(COLUMNS), 'report', ...OF_DAYS]))
    .option('-o, --output <path>', 'a file (default: standard output), or the folder for files (default: .)')
    .option('--from <time>', 'of history and movements; default: the oldest that is kept')
    .option('--to <time>', 'of history and movements; default: now')
    .addOption(new Option('--format <format>', 'of files; assets and locations are files with it').choices(['csv', 'ndjson', 'parquet']))
    .addHelpText('after', `
History and movements have a file for each day of UTC. CSV and NDJSON are compressed with gzip. Checksums are verified; a file that is
there already, with the right checksum, is kept. So run it again after a failure, or every night into the same folder. The export
is deleted afterwards, so its files do not count against what the organization may store.`)
    .action(exportRows)
} // oxfmt-ignore

async function importFile(resource: Resource, file: string): Promise<void> {
  const whereabouts = open()
  const rows = await rowsIn(resource, file)
  const done = progress(resource)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop)
  const { signal } = stopping
  let left = 0
  const put = async (row: Row, line: number) => {
    const key = row['external_key'] ?? ''
    try {
      const fields = valuesOf(resource, row)
      const { outcome } = await (resource === 'assets'
        ? whereabouts.upsertAsset(key, fields as AssetFields, { signal })
        : whereabouts.upsertLocation(key, fields as LocationFields, { signal }))
      done.count(outcome)
    } catch (error) {
      if (signal.aborted) {
        left += 1
        return
      }
      if (!isOfRow(error)) throw error
      done.count('refused')
      say(`\nrow ${line}, ${key}: ${error.message}\n`)
    }
  }
  // One row of a tree after the other, because a parent comes before what it holds.
  const atOnce = resource === 'assets' ? AT_ONCE : 1
  const running = new Set<Promise<void>>()
  let line = 0
  const doubts: string[] = []
  for await (const row of rows) {
    line += 1
    const doubt = Object.entries(row).map(([column, cell]) => doubtOf(column, cell)).find((text) => text !== undefined)
    if (doubt !== undefined) doubts.push(`row ${line}: ${doubt}`)
    if (signal.aborted) {
      left += 1
      if (file === '-') break // more may never come
      continue
    }
    const one = put(row, line).finally(() => running.delete(one))
    running.add(one)
    if (running.size >= atOnce) await Promise.race(running)
  }
  await Promise.all(running)
  process.off('SIGINT', stop)
  if (done.end().has('refused')) process.exitCode = IN_PART
  if (doubts.length > 0) say(`Doubtful rows, which were not refused: ${doubts.length}.\n${doubts.slice(0, EXAMPLES).map((text) => `  ${text}\n`).join('')}`)
  if (!signal.aborted) return
  say(`Stopped: ${file === '-' ? 'the rows after that' : `${left} rows`} are left. What was under way may be done. Run it again: what is equal stays as it is.\n`)
  process.exitCode = INTERRUPTED
} // oxfmt-ignore

/** The rows of a file, or of standard input. Their columns have the names of fields. */
export async function rowsIn(resource: Resource, file: string, mayLackNames = false): Promise<AsyncIterable<Row>> {
  const known = new Set(namesOf(resource))
  const bySpelling = new Map([...known].map((name) => [spelling(name), name]))
  const bytes = file === '-' ? stdin : createReadStream(file)
  const { header, whole } = await peekHeader(Readable.from(utf8Of(bytes), { objectMode: false }))
  return whole.pipe(
    parse({
      delimiter: delimiterOf(header),
      from_line: separatorOf(header) === undefined ? 1 : 2,
      skip_empty_lines: true,
      columns(headers: string[]) {
        // Columns at the end that a spreadsheet added have no name.
        const named = headers.slice(0, headers.findLastIndex((name) => name.trim() !== '') + 1)
        const names = named.map((name) => bySpelling.get(spelling(name)) ?? name)
        const unknown = names.filter((name) => !known.has(name))
        const twice = names.find((name, i) => names.indexOf(name) !== i)
        if (twice !== undefined) throw new UsageError(`Two columns are ${twice}. Remove or rename one of them.`)
        if (unknown.length > 0) throw new UsageError(`Unknown column ${unknown[0]}. Possible are ${[...known].join(', ')}.`)
        if (!names.includes('external_key') || !(mayLackNames || names.includes('name'))) throw new UsageError(`The columns external_key${mayLackNames ? '' : ' and name'} are needed.`)
        return headers.map((_, i) => names[i] ?? false)
      },
    }),
  )
} // oxfmt-ignore

/** Case, spaces, `_` and `-` do not distinguish headers. */
const spelling = (name: string) => name.toLowerCase().replaceAll(/[\s_-]+/g, '')

/** Whether the row is at fault. Then the others may be right. */
const isOfRow = (error: unknown): error is Error =>
  error instanceof UsageError || (error instanceof ApiError && OF_ROW.has(error.status ?? 0))

/** What a row says, without its key. An empty cell says nothing. Throws `UsageError`. */
export const valuesOf = (resource: Resource, row: Row): object => fieldsOf(row, COLUMNS[resource])

function fieldsOf({ external_key: _key, ...cells }: Row, parsers: Readonly<Record<string, Parse>>): object {
  const given = Object.entries(cells).filter(([, text]) => text !== '')
  return Object.fromEntries(given.map(([column, text]) => [column, parsers[column]?.(text, column)]))
}

function booleanOf(text: string, column: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new UsageError(`${column} must be true or false, not ${text}.`)
}

function objectOf(text: string, column: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${column} must be a JSON object, not ${text}.`)
  }
}

function tagsOf(text: string) {
  return text.trim().split(/\s+/).map(tagOf)
}

function tagOf(text: string) {
  const at = text.indexOf(':')
  return { tag_type: text.slice(0, at), value: text.slice(at + 1) }
}

type Expanded = 'asset' | 'location' | 'home_location' | 'is_home'
type ReportColumns = Omit<components['schemas']['AssetLocation'], Expanded>
/** The types ask for each column of the report. */
const REPORT = Object.keys({
  asset_external_key: true,
  location_external_key: true,
  asset_last_seen: true,
  dwell_started_at: true,
  dwell_seconds: true,
  asset_id: true,
  location_id: true,
  asset_deleted_at: true,
} satisfies Record<keyof ReportColumns, true>)

type Exported = Resource | 'report' | (typeof OF_DAYS)[number]
type ExportOptions = { output?: string; from?: string; to?: string; format?: 'csv' | 'ndjson' | 'parquet' }

async function exportRows(resource: Exported, { output, format, ...times }: ExportOptions): Promise<void> {
  const isOfDays = resource === 'history' || resource === 'movements'
  if (!isOfDays && (times.from ?? times.to) !== undefined)
    throw new UsageError(`--from and --to are for ${OF_DAYS.join(' and ')}.`)
  if (resource === 'report' && format !== undefined)
    throw new UsageError('The report is CSV and has no --format.')
  if (resource !== 'report' && (isOfDays || format !== undefined))
    return exportFiles({ dataset: resource, format: format ?? 'csv', ...times }, output ?? '.')
  return exportFile(resource, { ...(output !== undefined && { output }) })
}

async function exportFile(resource: Resource | 'report', { output }: { output?: string }): Promise<void> {
  const done = progress(resource)
  const columns = resource === 'report' ? REPORT : namesOf(resource)
  async function* lines() {
    yield csvLine(columns)
    for await (const row of rowsOf(resource)) {
      done.count()
      yield csvLine(columns.map((column) => textOf((row as Record<string, Cell>)[column])))
    }
  }
  await pipeline(lines, output === undefined ? stdout : createWriteStream(output), {
    end: output !== undefined,
  })
  done.end()
}

/** Sorted by what does not change meanwhile. */
function rowsOf(resource: Resource | 'report'): AsyncIterable<object> {
  const whereabouts = open()
  if (resource === 'report') return whereabouts.rows('/api/v1/reports/asset-locations', { query: { sort: 'asset_external_key' } })
  return whereabouts.rows(`/api/v1/${resource}`, { query: { sort: 'external_key' } })
} // oxfmt-ignore

type Cell = string | number | boolean | object | null

function textOf(value: Cell = ''): string {
  if (Array.isArray(value)) return value.map((tag) => `${tag.tag_type}:${tag.value}`).join(' ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}
