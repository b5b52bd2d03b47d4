import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Option, type Command } from 'commander'
import type { components } from '../api.d.ts'
import { assetOf } from './catalog.ts'
import { print, say, write, type Column, wholeNumber } from './output.ts'
import { open, UsageError } from './settings.ts'

type Place = components['schemas']['AssetLocation']
type Minute = components['schemas']['HistoryRow']
/** `in` and `nowhere` exclude each other, which commander checks. */
type Filters = { in?: string; nowhere?: true; notSeenSince?: string; at?: string }
type Where = Filters & { limit: number; json?: boolean }

const PLACE: Column<Place>[] = [
  ['ASSET', (row) => row.asset_external_key],
  ['NAME', (row) => row.asset?.name ?? null],
  ['LOCATION', (row) => row.location_external_key],
  ['LAST SEEN', (row) => row.asset_last_seen],
  ['THERE SINCE', (row) => row.dwell_started_at],
]
const MINUTE: Column<Minute>[] = [
  ['SEEN', (row) => row.event_observed_at],
  ['LOCATION', (row) => row.location_external_key],
]

/** Where assets are and were, and saying where they are. */
export function addTrackingCommands(program: Command): void {
  program
    .command('where [keys...]')
    .description('where assets are, or were at an instant; the latest seen first')
    .option('--in <location>', 'at this location and in its sub-locations')
    .addOption(new Option('--nowhere', 'without a location').conflicts('in'))
    .option('--not-seen-since <time>', 'last seen before it, as in 2026-11-21T10:00:00Z')
    .option('--at <time>', 'as they were then')
    .option('--limit <rows>', 'at most', wholeNumber, 50)
    .option('--json', 'one JSON object per line, for programs')
    .action(async (keys: string[], { limit, json, ...filters }: Where) =>
      print(places(keys, filters, 'asset'), PLACE, { limit, ...(json && { json }) }),
    )
  program
    .command('history <key>')
    .description('the minutes in which an asset was seen, newest first')
    .option('--from <time>')
    .option('--to <time>')
    .option('--limit <rows>', 'at most', wholeNumber, 50)
    .option('--json', 'one JSON object per line, for programs')
    .action(async (key: string, { limit, json, ...query }: Where & { from?: string; to?: string }) => {
      const path = { asset_id: (await assetOf(key)).id }
      const rows = open().rows('/api/v1/assets/{asset_id}/history', { path, query })
      await print(rows, MINUTE, { limit, ...(json && { json }) })
    })
  program
    .command('save <location> [keys...]')
    .description('say that assets are at a location now, all or none')
    .option('--file <file>', 'a key per line; - is standard input')
    .action(async (location: string, keys: string[], { file }: { file?: string }) => {
      const all = [...keys, ...(file === undefined ? [] : linesOf(file))]
      if (all.length === 0) throw new UsageError('Name the keys of assets, or a --file with one per line.')
      await open().saveInventory(all, location)
      write(`${all.length} ${all.length === 1 ? 'asset is' : 'assets are'} at ${location}\n`)
    })
  program
    .command('watch')
    .description('print assets that move, as they move, until Ctrl-C')
    .option('--in <location>', 'at this location and in its sub-locations')
    .option(
      '--every <seconds>',
      'between two questions: each counts against the rate of the key',
      wholeNumber,
      5,
    )
    .option('--json', 'one JSON object per line, for programs')
    .action(async ({ every, json, ...filters }: Where & { every: number }) => {
      await watch(filters, every, json)
    })
}

const linesOf = (file: string): string[] =>
  readFileSync(file === '-' ? 0 : file, 'utf8').split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '') // oxfmt-ignore

function places(
  keys: readonly string[],
  { in: location, nowhere, notSeenSince, at }: Filters,
  expand?: 'asset',
) {
  const query = {
    ...(keys.length > 0 && { asset_external_key: [...keys] }),
    ...(location !== undefined && { location_external_key: [location], include_descendants: true }),
    ...(nowhere && { location_id: ['none' as const] }),
    ...(notSeenSince !== undefined && { not_seen_since: notSeenSince }),
    ...(at !== undefined && { at }),
    ...(expand && { expand }),
  }
  return open().rows('/api/v1/reports/asset-locations', { query })
}

/**
 * Asks for what was seen since the last question, and prints what is elsewhere now. The live feed of the web app is for
 * sessions only; a program that must not miss a movement needs a webhook.
 */
async function watch(
  filters: { in?: string },
  everySeconds: number,
  json: boolean | undefined,
): Promise<void> {
  const at = new Map<number, Place>()
  let newest = ''
  say('Watching. Ctrl-C ends it.\n')
  for (let isFirst = true; ; isFirst = false) {
    const since = newest
    for await (const row of places([], filters)) {
      if (!isFirst && row.asset_last_seen < since) break // latest first
      const before = at.get(row.asset_id)
      at.set(row.asset_id, row)
      if (row.asset_last_seen > newest) newest = row.asset_last_seen
      if (isFirst || before?.location_id === row.location_id) continue
      const from = before?.location_external_key ?? '-'
      write(json ? `${JSON.stringify({ ...row, from_location_external_key: before?.location_external_key ?? null })}\n`
        : `${row.asset_last_seen}  ${row.asset_external_key}  ${from} → ${row.location_external_key ?? '-'}\n`) // oxfmt-ignore
    }
    await wait(everySeconds * 1_000)
  }
}
