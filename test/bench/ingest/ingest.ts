import { freePort } from '@whereabouts/deploy/workshop/servers/free-port'
import { connect, type NatsConnection } from 'nats'
import { ratioVerdict } from '../against/ratios.ts'
import { compareRates, inRounds, type Pair } from '../against/rounds.ts'
import { withBoth, type Both, type System } from '../against/systems.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { inspectable, profiled } from '../load/profiled.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { move, MOVING_ORG, type Ask } from './delay.ts'
import { drain } from './drain.ts'
import { READS_PER_MESSAGE, readsPerMinute } from './reads.ts'

export const INGEST_HELP = `pnpm bench ingest [flags]     compare tracking with that of a commit: reads per second, delay to EVENTS and to the report

  --against COMMIT  a commit, or the folder of an installed checkout     default HEAD
  --orgs N          organizations, 1 to 1000                             default 10
  --assets N        assets of all organizations, 1000 to 1000000         default 2000
  --messages N      messages of 50 rescans in a round                    default 10000
                    or as many as there are assets
  --minutes N       new rows of each asset in a round                    default 100
  --rounds N        rounds of each side, 1 to 20                         default 5
  --delay-seconds N messages of so long in all rounds of a side          default 30
  --per-second N    messages a second meanwhile, 1 to 5000               default 1000
  --only NAME       measure only delay, rescans or rows
  --profile FILE    write a CPU profile of this checkout's tracking (slower: the figures do not count)
`

const NUMBERS = {
  orgs: [1, 1_000, 10],
  assets: [1_000, 1_000_000, 2_000],
  messages: [100, 100_000, 10_000],
  minutes: [1, 500, 100],
  rounds: [1, 20, 5],
  'delay-seconds': [1, 60, 30],
  'per-second': [1, 5_000, 1_000],
} as const
const PARTS = { delay: compareDelays, rescans: compareRescans, rows: compareNewRows }

type Settings = ReturnType<typeof readSettings>
type Side = { system: System; nc: NatsConnection; ask: Ask }
type Bench = { both: Both; sides: Pair<Side>; settings: Settings; say: (text: string) => void }

function readSettings(args: string[]) {
  const { numbers, against, only, profile } = readFlags(args, NUMBERS, {
    against: { type: 'string', default: 'HEAD' },
    only: { type: 'string' },
    profile: { type: 'string' },
  })
  const { orgs, assets, minutes, rounds, messages } = numbers
  const parts = Object.entries(PARTS).filter(([name]) => only === undefined || name === only)
  if (parts.length === 0) throw new Error(`--only must be one of ${Object.keys(PARTS).join(', ')}`)
  const assetsPerOrg = Math.ceil(assets / orgs)
  return {
    against,
    profile,
    parts: parts.map(([, part]) => part),
    warehouse: { orgs: Array.from({ length: orgs }, (_, i) => 101 + i), assetsPerOrg },
    minutes,
    rounds,
    messages: Math.max(messages, orgs * Math.ceil(assetsPerOrg / READS_PER_MESSAGE)),
    perSecond: numbers['per-second'],
    /** Of a round. The seconds are for all rounds; the warm-up round has as many movements. */
    movements: Math.ceil((numbers['delay-seconds'] * numbers['per-second']) / rounds),
  }
}

/** Compares tracking of another version with this one: the same messages in alternating rounds. */
export async function benchIngest(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  const port = await freePort()
  const { against, parts, profile: file } = settings
  const env = { tracking: inspectable(port) }
  return withBoth({ against, services: ['catalog', 'tracking'], env, say }, async (both) => {
    const opened: NatsConnection[] = []
    try {
      const sides = { base: await prepare(both.base, settings), now: await prepare(both.now, settings) }
      opened.push(sides.base.nc, sides.now.nc)
      const verdicts = await profiled(both.now.stack.service('tracking'), { file, port }, async () => {
        const all: Verdict[] = []
        for (const part of parts) all.push(...(await part({ both, sides, settings, say })))
        return all
      })
      say(`${verdictTable(verdicts)}\n`)
      return verdicts.every(({ reached }) => reached)
    } finally {
      await Promise.all(opened.map((nc) => nc.close()))
    }
  })
}

async function prepare(system: System, { warehouse, movements, rounds }: Settings): Promise<Side> {
  const { stack } = system
  const { announce, configureReaders, restartTracking } = await system.load('test/bench/ingest/warehouse.ts')
  const { reportOf } = await system.load('test/bench/ingest/delay.ts')
  const pass = stack.secrets.nats.services_password
  const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
  await configureReaders(stack, [...warehouse.orgs, MOVING_ORG])
  await announce(nc, warehouse)
  await announce(nc, { orgs: [MOVING_ORG], assetsPerOrg: movements * (rounds + 1) })
  await restartTracking(stack)
  return { system, nc, ask: await reportOf(stack, MOVING_ORG) }
}

/** Of one instant, which is stored in the round that does not count: every later read is a repetition. */
async function compareRescans({ both, sides, settings, say }: Bench): Promise<Verdict[]> {
  const { warehouse, messages, rounds } = settings
  const readAt = new Date(Date.now() - 3_600_000).toISOString()
  const pairs = await inRounds(sides, rounds, async ({ system, nc }) => {
    const { publishRescans } = await system.load('test/bench/ingest/reads.ts')
    return drain(system, nc, () => publishRescans(nc, warehouse, messages, readAt))
  })
  const count = messages * READS_PER_MESSAGE
  const [first, last] = [pairs[0]?.now.residentMiB ?? 0, pairs.at(-1)?.now.residentMiB ?? 0]
  return [
    compareRates(both, { title: 'Rescans', unit: 'reads', count, pairs }, say),
    atMost('100 000 rescans', 1, pairs.map(({ now }) => (now.seconds * 100_000) / count), 's'),
    atMost('memory: growth from the first round of rescans to the last', 30, [last - first], 'MiB'),
  ] // oxfmt-ignore
}

/** Every read is the first of its asset and minute. */
async function compareNewRows({ both, sides, settings, say }: Bench): Promise<Verdict[]> {
  const { warehouse, minutes, rounds } = settings
  // Within the 24 hours for which a reader's own time counts, and never twice.
  const start = Math.floor(Date.now() / 60_000) - 23 * 60
  const last = Math.max(1, Math.min(rounds, Math.floor((22 * 60) / minutes) - 1))
  const pairs = await inRounds(sides, last, async ({ system, nc }, round) => {
    const { publishNewMinutes } = await system.load('test/bench/ingest/reads.ts')
    const span = { fromMinute: start + round * minutes, minutes }
    return drain(system, nc, () => publishNewMinutes(nc, warehouse, span))
  })
  const count = readsPerMinute(warehouse) * minutes
  return [compareRates(both, { title: 'New rows', unit: 'reads', count, pairs }, say)]
}

/** From publishing, with one read in a message, each of them a movement. */
async function compareDelays({ both, sides, settings, say }: Bench): Promise<Verdict[]> {
  const { perSecond, movements: total, rounds } = settings
  const pairs = await inRounds(sides, rounds, async ({ nc, ask }, round) => {
    const { toEvents, toReport } = await move(nc, ask, { perSecond, total }, round * total)
    const [p50, events] = [quantile(toEvents, 0.5), quantile(toEvents, 0.99)]
    return { p50, events, reportP50: quantile(toReport, 0.5), report: quantile(toReport, 0.99) }
  })
  const figures = {
    p50: 'to EVENTS, p50',
    events: 'to EVENTS, p99',
    reportP50: 'to the report, p50',
    report: 'to the report, p99',
  } as const
  const names = Object.keys(figures) as (keyof typeof figures)[]
  const head = ['round', ...names.flatMap((name) => [both.base, both.now].map((side) => `${side.name} ${figures[name]}`))] // oxfmt-ignore
  const rows = pairs.map(({ base, now }, i) => [
    String(i + 1),
    ...names.flatMap((name) => [base[name].toFixed(1), now[name].toFixed(1)]),
  ])
  say(`\nDelay in milliseconds at ${perSecond} movements/s\n${table([head, ...rows])}\n`)
  return [
    ratioVerdict(`delay ${figures.p50}: ${both.base.name}'s ÷ now's`, pairs.map(({ base, now }) => base.p50 / now.p50)),
    atMost('delay to EVENTS, p99', 100, pairs.map(({ now }) => now.events)),
    atMost('delay to the report, p99', 100, pairs.map(({ now }) => now.report)),
  ] // oxfmt-ignore
}
