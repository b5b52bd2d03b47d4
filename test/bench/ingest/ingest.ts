import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { connect, type NatsConnection } from 'nats'
import { verdictTable, type Verdict } from '../edge/report.ts'
import { median, quantile, table } from '../load/figures.ts'
import { machine } from '../load/machine.ts'
import { measureDelay } from './delay.ts'
import { insertBare, startFloor, type Floor } from './floors.ts'
import { publishNewMinutes, publishRescans, READS_PER_MESSAGE } from './reads.ts'
import { drainByTracking, type Drained } from './tracking-drain.ts'
import { addFloorDurable, announce, configureReaders, type Warehouse } from './warehouse.ts'

export const INGEST_HELP = `pnpm bench ingest [flags]     reads a second, beside a bare consumer and bare inserts; delay to report and EVENTS

  --orgs N          organizations, 1 to 1000                             default 10
  --assets N        of all of them together, 1000 to 1000000             default 2000
  --messages N      of 50 rescans each, a round                          default 10000
  --minutes N       new rows of each asset, a round                      default 100
  --rounds N        of floor and tracking in turn                        default 5
  --delay-seconds N how long 1000 messages a second are sent; 0: not     default 30
`

type Settings = {
  warehouse: Warehouse
  messages: number
  minutes: number
  rounds: number
  delaySeconds: number
}
type Pair = { floor: number; tracking: Drained; ratio: number }

function readSettings(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      orgs: { type: 'string', default: '10' },
      assets: { type: 'string', default: '2000' },
      messages: { type: 'string', default: '10000' },
      minutes: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '5' },
      'delay-seconds': { type: 'string', default: '30' },
    },
  })
  const bounded = (name: keyof typeof values, min: number, max: number): number => {
    const value = Number(values[name])
    if (!(Number.isInteger(value) && value >= min && value <= max))
      throw new Error(`--${name} is ${min} to ${max}`)
    return value
  }
  const orgs = Array.from({ length: bounded('orgs', 1, 1_000) }, (_, i) => 101 + i)
  return {
    warehouse: { orgs, assetsPerOrg: Math.ceil(bounded('assets', 1_000, 1_000_000) / orgs.length) },
    messages: bounded('messages', 100, 100_000),
    minutes: bounded('minutes', 1, 500),
    rounds: bounded('rounds', 1, 20),
    delaySeconds: bounded('delay-seconds', 0, 60),
  }
}

/** The organization whose movements are timed; it has an asset for each of them. */
const MOVING_ORG = 99

/** Starts broker, database and tracking on throwaway data, measures, prints tables. */
export async function benchIngest(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // as root, PostgreSQL runs as another user, who must get in
  let [stack, nc, floor]: [Stack?, NatsConnection?, Floor?] = []
  try {
    say(`${machine()}\nStarting tracking …\n`)
    stack = await startStack({ dataDir: join(folder, 'data'), services: ['catalog', 'tracking'] })
    nc = await connect({
      servers: stack.urls.nats,
      user: 'services',
      pass: stack.secrets.nats.services_password,
    })
    await prepare(stack, nc, settings)
    floor = await startFloor(stack)
    const verdicts = [
      ...(await rescans(stack, nc, floor, settings, say)),
      ...(await newRows(stack, nc, settings, say)),
      ...(await delays(stack, nc, settings, say)),
    ]
    say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  } finally {
    await floor?.stop()
    await nc?.close()
    await stack?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function prepare(
  stack: Stack,
  nc: NatsConnection,
  { warehouse, delaySeconds }: Settings,
): Promise<void> {
  const moving = { orgs: [MOVING_ORG], assetsPerOrg: Math.max(1, delaySeconds * 1_000) }
  await configureReaders(stack, [...warehouse.orgs, MOVING_ORG])
  await announce(nc, warehouse)
  await announce(nc, moving)
  await addFloorDurable(nc)
  const tracking = stack.service('tracking') // anew, so that it has read the readers
  await tracking.kill('SIGTERM')
  tracking.start()
  await tracking.waitReady()
}

async function rescans(
  stack: Stack,
  nc: NatsConnection,
  floor: Floor,
  settings: Settings,
  say: (text: string) => void,
) {
  const { warehouse, messages, rounds } = settings
  const pairs: Pair[] = []
  for (let round = 0; round <= rounds; round += 1) {
    let bare = 0
    const tracking = await drainByTracking(stack, nc, async () => {
      await publishRescans(nc, warehouse, messages)
      bare = (await floor.drain(messages)).seconds
    })
    // The first round compiles.
    if (round > 0) pairs.push({ floor: bare, tracking, ratio: bare / tracking.seconds })
  }
  const reads = messages * READS_PER_MESSAGE
  const perSecond = reads / median(pairs.map(({ tracking }) => tracking.seconds))
  say(
    pairTable('Steady rescans: nothing but the first read of a minute is new', 'bare consumer', pairs, reads),
  )
  const [firstMiB, lastMiB] = [pairs[0]?.tracking.residentMiB ?? 0, pairs.at(-1)?.tracking.residentMiB ?? 0]
  return [
    verdict(
      'rescans: bare consumer ÷ tracking (b ÷ a)',
      '≥ 0.6',
      median(pairs.map(({ ratio }) => ratio)),
      (r) => r >= 0.6,
    ),
    verdict('rescans: reads/s', '≥ 100000', Math.round(perSecond), (n) => n >= 100_000),
    verdict(
      'memory: growth from the first round to the last, MiB',
      '≤ 30',
      Math.round(lastMiB - firstMiB),
      (n) => n <= 30,
    ),
  ]
}

async function newRows(stack: Stack, nc: NatsConnection, settings: Settings, say: (text: string) => void) {
  const { warehouse, minutes, rounds } = settings
  const pairs: Pair[] = []
  // Within the 24 hours in which a reader's own time counts, and never twice.
  let fromMinute = Math.floor(Date.now() / 60_000) - 23 * 60
  for (let round = 0; round <= Math.min(rounds, Math.floor((22 * 60) / minutes) - 1); round += 1) {
    const span = { fromMinute, minutes }
    const bare = await insertBare(stack, warehouse, span)
    const tracking = await drainByTracking(stack, nc, async () => {
      await publishNewMinutes(nc, warehouse, span)
    })
    if (round > 0) pairs.push({ floor: bare, tracking, ratio: bare / tracking.seconds })
    fromMinute += minutes
  }
  const rows =
    warehouse.orgs.length *
    Math.ceil(warehouse.assetsPerOrg / READS_PER_MESSAGE) *
    READS_PER_MESSAGE *
    minutes
  say(pairTable('New rows: every read is the first of its asset and minute', 'bare insert', pairs, rows))
  return [
    verdict(
      'new rows: bare insert ÷ tracking (d ÷ c)',
      '≥ 0.6',
      median(pairs.map(({ ratio }) => ratio)),
      (r) => r >= 0.6,
    ),
  ]
}

async function delays(
  stack: Stack,
  nc: NatsConnection,
  { delaySeconds }: Settings,
  say: (text: string) => void,
) {
  if (delaySeconds === 0) return []
  const asked = { org: MOVING_ORG, assets: delaySeconds * 1_000, perSecond: 1_000, seconds: delaySeconds }
  const { toEvents, toReport, perSecond } = await measureDelay(stack, nc, asked)
  const row = (name: string, ms: readonly number[]) => [
    name,
    String(ms.length),
    ...[0.5, 0.9, 0.99, 1].map((q) => quantile(ms, q).toFixed(1)),
  ]
  const rows = [
    ['', 'n', 'p50 ms', 'p90 ms', 'p99 ms', 'longest'],
    row('to EVENTS', toEvents),
    row('to the report', toReport),
  ]
  say(`\nDelay from publishing, ${Math.round(perSecond)} messages/s, every one a movement\n${table(rows)}\n`)
  return [
    verdict('delay to EVENTS, p99 ms', '≤ 100', quantile(toEvents, 0.99), (ms) => ms <= 100),
    verdict('delay to the report, p99 ms', '≤ 100', quantile(toReport, 0.99), (ms) => ms <= 100),
  ]
}

function pairTable(title: string, floor: string, pairs: readonly Pair[], reads: number): string {
  const perSecond = (seconds: number) => Math.round(reads / seconds).toLocaleString('en')
  const rows = pairs.map(({ floor: bare, tracking, ratio }, i) => [
    String(i + 1), perSecond(bare), perSecond(tracking.seconds), ratio.toFixed(2), tracking.residentMiB.toFixed(0),
  ]) // prettier-ignore
  return `\n${title}, reads/s\n${table([['round', floor, 'tracking', 'ratio', 'MiB'], ...rows])}\n`
}

const verdict = (what: string, wanted: string, got: number, reached: (got: number) => boolean): Verdict => ({
  what,
  wanted,
  got: Number.isInteger(got) ? String(got) : got.toFixed(2),
  reached: reached(got),
})
