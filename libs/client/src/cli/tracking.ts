import { readFileSync } from 'node:fs'
import { Option, type Command } from 'commander'
import type { components } from '../api.d.ts'
import type { Movement } from '../follow.ts'
import { rounds } from '../movements.ts'
import { assetOf, locationOf } from './catalog.ts'
import { print, say, write, type Column, wholeNumber } from './output.ts'
import { open, UsageError } from './settings.ts'

type Place = components['schemas']['AssetLocation']
type Minute = components['schemas']['HistoryRow']
/** `in` and `nowhere` exclude each other, which commander checks. */
type Filters = { in?: string; nowhere?: true; notSeenSince?: string; at?: string }
type Listing = {
  asset?: string
  in?: string
  from?: string
  to?: string
  limit: number
  json?: true
  csv?: true
}
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
    .command('movements')
    .description('what moved from where to where, newest first')
    .option('--asset <key>')
    .option('--in <location>', 'from or to this location and its sub-locations')
    .option('--from <time>', 'as in 2026-11-21T10:00:00Z')
    .option('--to <time>')
    .option('--limit <rows>', 'at most', wholeNumber, 50)
    .addOption(new Option('--json', 'one JSON object per line, for programs').conflicts('csv'))
    .option('--csv', 'for spreadsheets')
    .action(listMovements)
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
    .option('--in <location>', 'from or to this location and its sub-locations')
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

const MOVEMENT: Column<Movement>[] = [
  ['MOVED', (row) => row.occurred_at],
  ['ASSET', ({ asset }) => asset.external_key],
  ['NAME', ({ asset }) => asset.name],
  ['FROM', (row) => row.from_location?.external_key ?? null],
  ['TO', (row) => row.to_location.external_key],
]

async function listMovements({ limit, json, csv, ...given }: Listing): Promise<void> {
  const { asset, in: location, from, to } = given
  const rows = open().movements({
    ...(asset !== undefined && { assetIds: [(await assetOf(asset)).id] }),
    ...(location !== undefined && (await within(location))),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  })
  await print(rows, MOVEMENT, { limit, ...(json && { json }), ...(csv && { csv }) })
}

const within = async (location: string) => ({
  locationIds: [(await locationOf(location)).id],
  includeDescendants: true,
})

/**
 * Prints what moves. History has one location for each asset and minute, so a second movement in a minute replaces the first: what
 * was printed last for an asset says where it comes from, and a movement that is none any more was a way back. The live feed of the
 * web app is for sessions only; a program that must not miss a movement needs a webhook.
 */
async function watch(
  filters: { in?: string },
  everySeconds: number,
  json: boolean | undefined,
): Promise<void> {
  const whereabouts = open()
  const place = filters.in === undefined ? undefined : await placesOf(filters.in)
  const at = new Map<number, Movement['from_location']>()
  const show = (row: Movement, to: Movement['from_location']) => {
    const before = at.get(row.asset.id) ?? row.from_location
    at.set(row.asset.id, to)
    if (before?.id === to?.id || (place && !place.has(before?.id) && !place.has(to?.id))) return
    write(json ? `${JSON.stringify({ ...row, from_location: before, to_location: to })}\n`
      : `${row.occurred_at}  ${row.asset.external_key ?? '-'}  ${before?.external_key ?? '-'} → ${to?.external_key ?? '-'}\n`) // oxfmt-ignore
  }
  let isFirst = true
  for await (const round of rounds(whereabouts.api, { intervalMs: everySeconds * 1_000 })) {
    const { moved, withdrawn, known } = round
    for (const { asset, to_location } of known) at.set(asset.id, to_location)
    if (isFirst) say('Watching. Ctrl-C ends it.\n')
    isFirst = false
    const again = new Set(moved.map(({ asset }) => asset.id))
    for (const row of withdrawn) if (!again.has(row.asset.id)) show(row, row.from_location)
    for (const row of moved) show(row, row.to_location)
  }
}

/** The ids of a location and its sub-locations. */
async function placesOf(key: string): Promise<Set<number | undefined>> {
  const { id } = await locationOf(key)
  const ids = new Set<number | undefined>([id])
  for await (const row of open().rows('/api/v1/locations/{location_id}/descendants', {
    path: { location_id: id },
  }))
    ids.add(row.id)
  return ids
}
