import { durables, streams } from '@whereabouts/messaging/connect/topology'
import { CommanderError, InvalidArgumentError, Option, Command as Program } from 'commander'
import { DETAILS } from './help.ts'

/** The command line is wrong; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Which dead letters are meant. An absent filter excludes none. */
export type Filters = { stream?: string; durable?: string; orgId?: number; sinceMs?: number }

/** Dead letters by number, or all that pass the filters. Nothing happens to all of them without `yes`. */
export type Selection = { seqs: number[] } | { filters: Filters; yes: boolean }

export type ListRequest = { do: 'list'; filters: Filters; limit: number; before?: number; json: boolean }
export type ShowRequest = { do: 'show'; seq: number; rawFile?: string; json: boolean }
export type BulkRequest = { selection: Selection }
export type Command = ListRequest | ShowRequest | ({ do: 'replay' | 'drop' } & BulkRequest)

type FilterFlags = { stream?: string; durable?: string; org?: number; since?: number }
type ListFlags = FilterFlags & { limit: number; before?: number; json?: boolean }
type BulkFlags = FilterFlags & { all?: boolean; yes?: boolean }

/** Reads a command line. Throws UsageError. `--since 2h` counts back from `now`. */
export function readArguments(argv: readonly string[], now: number): Command | { do: 'help'; text: string } {
  let text = ''
  let request: Command | undefined
  const program = new Program('node deploy/dead-letters.ts')
    .description('Messages that could not be handled. They are kept for a week, 256 MiB at most.')
    .exitOverride()
    .configureOutput({ writeOut: (part) => (text += part), writeErr() {} })
    .addHelpText('after', DETAILS)

  withFilters(program.command('list').description('list dead letters, newest first'), now)
    .option('--limit <n>', 'show at most this many', positive, 50)
    .option('--before <seq>', 'show older ones: the next page', positive)
    .option('--json', 'print JSON, for programs')
    .action(({ limit, before, json = false, ...filters }: ListFlags) => {
      request = { do: 'list', filters: filtersOf(filters), limit, ...(before && { before }), json }
    })
  program
    .command('show')
    .description('show one with its payload')
    .argument('<seq>', 'as list prints it', positive)
    .option('--raw <file>', 'write the payload, byte for byte, to a new file')
    .option('--json', 'print JSON, for programs')
    .action((seq: number, { raw, json = false }: { raw?: string; json?: boolean }) => {
      request = { do: 'show', seq, ...(raw !== undefined && { rawFile: raw }), json }
    })
  const bulk = (name: 'replay' | 'drop', description: string) =>
    withFilters(program.command(name).description(description), now)
      .argument('[seq...]', 'as list prints them', (seq, before: number[]) => [...before, positive(seq)], [])
      .option('--all', 'all that pass the filters, oldest first; without --yes only count them')
      .option('--yes', 'with --all: do it')
      .action((seqs: number[], flags: BulkFlags) => {
        request = { do: name, selection: selectionOf(seqs, flags) }
      })
  bulk('replay', 'publish again, wait until it is stored, remove the dead letter')
  bulk('drop', 'remove without replaying')

  try {
    program.parse(argv.length > 0 ? argv : ['--help'], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw wrong(error.message.replace(/^error: /, ''))
  }
  return request ?? { do: 'help', text }
}

const withFilters = (command: Program, now: number): Program =>
  command
    .addOption(new Option('--stream <name>', 'only from this stream').choices(without('DEAD', streams)))
    .addOption(
      new Option('--durable <name>', 'only those that this consumer could not handle').choices(
        without('', durables),
      ),
    )
    .option('--org <n>', 'only of this organization', positive)
    .option(
      '--since <when>',
      'only those kept since 2026-11-21T10:00:00Z, or for at most 30m, 2h, 3d',
      (text) => instant(text, now),
    )

const without = (name: string, all: object) => Object.keys(all).filter((each) => each !== name)

const filtersOf = ({ stream, durable, org, since }: FilterFlags): Filters => ({
  ...(stream !== undefined && { stream }),
  ...(durable !== undefined && { durable }),
  ...(org !== undefined && { orgId: org }),
  ...(since !== undefined && { sinceMs: since }),
})

function selectionOf(seqs: number[], { all, yes = false, ...flags }: BulkFlags): Selection {
  const filters = filtersOf(flags)
  if (all && seqs.length > 0) throw wrong('give either numbers or --all')
  if (all) return { filters, yes }
  if (seqs.length === 0) throw wrong('give the numbers that list prints, or --all')
  if (yes || Object.keys(filters).length > 0) throw wrong('filters and --yes need --all')
  return { seqs: [...new Set(seqs)] }
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function instant(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? Number.NaN)
  const ms = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('Give a time like 2026-11-21T10:00:00Z, or 30m, 2h, 3d.')
  return ms
}

function positive(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Give a whole number from 1.')
}

const wrong = (text: string) => new UsageError(`${text}\nsee --help`)
