import { parseArgs } from 'node:util'
import { durables, streams } from '@whereabouts/messaging/topology'

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Which dead letters are meant: what is left out excludes none. */
export type Filters = { stream?: string; durable?: string; orgId?: number; sinceMs?: number }

/** Dead letters by their numbers, or all that the filters leave: these only once `yes` is said. */
export type Selection = { seqs: number[] } | { filters: Filters; yes: boolean }

export type ListRequest = { do: 'list'; filters: Filters; limit: number; before?: number; json: boolean }
export type ShowRequest = { do: 'show'; seq: number; rawFile?: string; json: boolean }
export type BulkRequest = { selection: Selection }
export type Command =
  ListRequest | ShowRequest | ({ do: 'replay' } & BulkRequest) | ({ do: 'drop' } & BulkRequest)

const FLAGS = {
  stream: { type: 'string' },
  durable: { type: 'string' },
  org: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  before: { type: 'string' },
  raw: { type: 'string' },
  all: { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const
type Flags = ReturnType<typeof parse>['values']

const FILTERS = ['stream', 'durable', 'org', 'since'] as const
const TAKES: Record<string, readonly (keyof Flags)[]> = {
  list: [...FILTERS, 'limit', 'before', 'json'],
  show: ['raw', 'json'],
  replay: [...FILTERS, 'all', 'yes'],
  drop: [...FILTERS, 'all', 'yes'],
}

/** Reads a command line. Throws UsageError. `now` is what `--since 2h` counts from. */
export function readArguments(argv: readonly string[], now: number): Command | { do: 'help' } {
  const { values, positionals } = parse(argv)
  if (values.help || argv.length === 0) return { do: 'help' }
  const [command = '', ...rest] = positionals
  const takes = Object.hasOwn(TAKES, command) ? TAKES[command] : undefined
  if (!takes) throw wrong(`there is no command ${JSON.stringify(command)}`)
  for (const flag of Object.keys(values) as (keyof Flags)[])
    if (!takes.includes(flag)) throw wrong(`${command} takes no --${flag}`)
  const seqs = rest.map((text) => positive('SEQ', text))
  if (command === 'list') return listRequest(values, seqs, now)
  if (command === 'show') return showRequest(values, seqs)
  return { do: command === 'replay' ? 'replay' : 'drop', selection: selection(values, seqs, now) }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: FLAGS, allowPositionals: true })
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error))
  }
}

function listRequest(values: Flags, seqs: readonly number[], now: number): ListRequest {
  if (seqs.length > 0) throw wrong('list takes no SEQ: show does')
  return {
    do: 'list',
    filters: filters(values, now),
    limit: positive('--limit', values.limit ?? '50'),
    ...(values.before !== undefined && { before: positive('--before', values.before) }),
    json: values.json ?? false,
  }
}

function showRequest({ raw, json = false }: Flags, [seq, ...more]: readonly number[]): ShowRequest {
  if (seq === undefined || more.length > 0) throw wrong('show takes one SEQ, as list prints it')
  return { do: 'show', seq, ...(raw !== undefined && { rawFile: raw }), json }
}

function selection(values: Flags, seqs: number[], now: number): Selection {
  if (values.all) {
    if (seqs.length > 0) throw wrong('either SEQ… or --all')
    return { filters: filters(values, now), yes: values.yes ?? false }
  }
  if (seqs.length === 0) throw wrong('which? SEQ…, as list prints it, or --all')
  if (FILTERS.some((flag) => values[flag] !== undefined) || values.yes)
    throw wrong('filters and --yes go with --all')
  return { seqs: [...new Set(seqs)] }
}

function filters({ stream, durable, org, since }: Flags, now: number): Filters {
  if (stream !== undefined && (!Object.hasOwn(streams, stream) || stream === 'DEAD'))
    throw wrong(
      `--stream is one of ${Object.keys(streams)
        .filter((name) => name !== 'DEAD')
        .join(', ')}`,
    )
  if (durable !== undefined && !Object.hasOwn(durables, durable))
    throw wrong(`--durable is one of ${Object.keys(durables).join(', ')}`)
  return {
    ...(stream !== undefined && { stream }),
    ...(durable !== undefined && { durable }),
    ...(org !== undefined && { orgId: positive('--org', org) }),
    ...(since !== undefined && { sinceMs: instant(since, now) }),
  }
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function instant(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined)
    return now - Number(count) * UNITS[unit as keyof typeof UNITS]
  const ms = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw wrong('--since is a time like 2026-11-21T10:00:00Z, or 30m, 2h, 3d')
  return ms
}

function positive(what: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw wrong(`${what} is a number from 1, not ${JSON.stringify(text)}`)
}

const wrong = (text: string) => new UsageError(`${text}\nsee --help`)
