import { InvalidArgumentError, Option, type Command } from 'commander'
import type { AssetItem, LocationItem, SyncOptions, SyncReport, SyncResult } from '../sync.ts'
import { IN_PART, rowsIn, valuesOf, type Resource } from './csv.ts'
import { progress, say, write } from './output.ts'
import { open, UsageError } from './settings.ts'

type Options = { dryRun?: boolean; mode?: SyncOptions['mode']; retireAtMost?: number; json?: boolean }

const HELP = `
The columns are those of "whereabouts import". An empty cell leaves the field as it is. A column tags has all tags: others are removed.
Up to 500 rows are one request, which the rate of the key does not count. Run it again after a failure: what is equal stays as it is.
Failed rows are printed and fail no others; the exit status is 4 then.`

/** Makes assets or locations what a file says. */
export function addSync(list: Command, resource: Resource): void {
  const command = list
    .command('sync <file>')
    .description(`make ${resource} what a CSV file says, by external_key; - is standard input`)
    .option('--dry-run', 'say what would happen, and change nothing')
    .addOption(new Option('--mode <mode>', 'create fails what exists, update what does not').choices(['upsert', 'create', 'update']))
    .option('--json', 'the result as one JSON value')
    .addHelpText('after', HELP)
  if (resource === 'assets') command.option('--retire-at-most <n>', 'end (valid_to) what is not in the file, unless that is more than n', count)
  // `--json` is an option of the list too, which takes it wherever it stands.
  command.action((file: string) => syncFile(resource, file, command.optsWithGlobals()))
} // oxfmt-ignore

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

async function syncFile(resource: Resource, file: string, { dryRun, mode, retireAtMost, json }: Options): Promise<void> {
  const done = progress(resource)
  const lines = new Map<string, number>()
  const onResult = ({ external_key, status, error }: SyncResult) => {
    done.count(dryRun && status !== 'failed' && status !== 'unchanged' ? `would be ${status}` : status)
    if (status === 'failed') say(`\nrow ${lines.get(external_key) ?? '?'}, ${external_key}: ${error?.detail ?? 'failed'}\n`)
  }
  const options = { onResult, ...(dryRun && { dryRun }), ...(mode && { mode }) }
  const report = await (resource === 'assets'
    ? open().assets.sync(itemsOf<AssetItem>(resource, file, lines), { ...options, ...(retireAtMost !== undefined && { retire: { atMost: retireAtMost } }) })
    : open().locations.sync(itemsOf<LocationItem>(resource, file, lines), options))
  done.end()
  if (json) write(`${JSON.stringify(countsOf(report))}\n`)
  if (report.failed > 0) process.exitCode = IN_PART
} // oxfmt-ignore

const countsOf = ({ created, updated, unchanged, failed, retired }: SyncReport) => ({
  created,
  updated,
  unchanged,
  failed,
  retired,
})

/** A cell that cannot be read ends the work, because the row would be something else without it. */
async function* itemsOf<Item>(
  resource: Resource,
  file: string,
  lines: Map<string, number>,
): AsyncGenerator<Item> {
  let line = 0
  for await (const row of await rowsIn(resource, file, true)) {
    line += 1
    const external_key = row['external_key'] ?? ''
    if (external_key === '') throw new UsageError(`Row ${line} has no external_key.`)
    lines.set(external_key, line)
    yield { external_key, ...valuesOf(resource, row) } as Item
  }
}
