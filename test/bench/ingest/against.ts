import { connect, type NatsConnection } from 'nats'
import { ratioVerdict } from '../against/ratios.ts'
import { withBoth, type System } from '../against/systems.ts'
import { verdictTable, type Verdict } from '../load/verdict.ts'
import { median, quantile, sum, table } from '../load/figures.ts'
import { cpuSecondsOf } from '../load/processes.ts'
import { trackingOf, type Settings } from './bench.ts'
import { move, MOVING_ORG } from './delay.ts'
import { READS_PER_MESSAGE, readsPerMinute } from './reads.ts'

export const AGAINST_PARTS = ['delay', 'rescans', 'rows'] as const
export type AgainstPart = (typeof AGAINST_PARTS)[number]

type Side = { system: System; nc: NatsConnection }
type Run = Settings & { say: (text: string) => void }
/** The result of one side in one round. Processor seconds count from its continuation to its last acknowledgement. */
type Drained = { seconds: number; residentMiB: number; cpu: Cpu }
type Cpu = { tracking: number; postgres: number; broker: number }

/** Compares tracking of another version with this one: the same messages in alternating rounds. */
export function benchIngestAgainst(
  { against, parts, ...settings }: Settings & { against: string; parts: readonly AgainstPart[] },
  say: (text: string) => void,
): Promise<boolean> {
  return withBoth({ against, services: ['catalog', 'tracking'], say }, async ({ base, now }) => {
    const sides: Side[] = []
    try {
      for (const system of [base, now]) sides.push(await prepare(system, settings))
      const verdicts: Verdict[] = []
      for (const part of parts) verdicts.push(...(await PARTS[part](sides, { ...settings, say })))
      say(`${verdictTable(verdicts)}\n`)
      return verdicts.every(({ reached }) => reached)
    } finally {
      await Promise.all(sides.map(({ nc }) => nc.close()))
    }
  })
}

const PARTS = { delay: compareDelays, rescans: compareRescans, rows: compareNewRows }

/** Movements of a round. The seconds are for all rounds; the warm-up round has as many movements. */
const movementsOf = ({ delaySeconds, perSecond, rounds }: Settings) =>
  Math.ceil((delaySeconds * perSecond) / rounds)

async function prepare(system: System, settings: Settings): Promise<Side> {
  const { stack } = system
  const { announce, configureReaders, restartTracking } = await system.load('test/bench/ingest/warehouse.ts')
  const pass = stack.secrets.nats.services_password
  const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
  const moving = {
    orgs: [MOVING_ORG],
    assetsPerOrg: Math.max(1, movementsOf(settings) * (settings.rounds + 1)),
  }
  await configureReaders(stack, [...settings.warehouse.orgs, MOVING_ORG])
  await announce(nc, settings.warehouse)
  await announce(nc, moving)
  await restartTracking(stack)
  return { system, nc }
}

/** Runs every round once on each side, in alternating order. The first round compiles and does not count. */
async function inRounds<T>(
  [base, now]: readonly Side[],
  rounds: number,
  measure: (side: Side, round: number) => Promise<T>,
): Promise<{ base: T; now: T }[]> {
  if (!base || !now) throw new Error('a system is missing')
  const pairs: { base: T; now: T }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const first = await measure(round % 2 === 0 ? base : now, round)
    const second = await measure(round % 2 === 0 ? now : base, round)
    if (round > 0) pairs.push(round % 2 === 0 ? { base: first, now: second } : { base: second, now: first })
  }
  return pairs
}

async function compareRescans(sides: readonly Side[], run: Run): Promise<Verdict[]> {
  const pairs = await inRounds(sides, run.rounds, async (side) => {
    const { publishRescans } = await side.system.load('test/bench/ingest/reads.ts')
    return drain(side, () => publishRescans(side.nc, run.warehouse, run.messages))
  })
  const title = 'Rescans: only the first read of a minute is new'
  return report(sides, run, { title, reads: run.messages * READS_PER_MESSAGE, pairs })
}

async function compareNewRows(sides: readonly Side[], run: Run): Promise<Verdict[]> {
  const { warehouse, minutes, rounds } = run
  // Within the 24 hours for which a reader's own time counts, and never twice.
  const start = Math.floor(Date.now() / 60_000) - 23 * 60
  const last = Math.max(1, Math.min(rounds, Math.floor((22 * 60) / minutes) - 1))
  const pairs = await inRounds(sides, last, async (side, round) => {
    const { publishNewMinutes } = await side.system.load('test/bench/ingest/reads.ts')
    const span = { fromMinute: start + round * minutes, minutes }
    return drain(side, () => publishNewMinutes(side.nc, warehouse, span))
  })
  const title = 'New rows: every read is the first of its asset and minute'
  return report(sides, run, { title, reads: readsPerMinute(warehouse) * minutes, pairs })
}

async function drain({ system, nc }: Side, fill: () => Promise<unknown>): Promise<Drained> {
  const { drainInTurn } = await system.load('test/bench/ingest/drain.ts')
  let before = cpuOf(system)
  const [drained] = await drainInTurn(nc, [trackingOf(system.stack)], async () => {
    await fill()
    before = cpuOf(system)
  })
  if (!drained) throw new Error('nothing was drained')
  const after = cpuOf(system)
  const cpu = {
    tracking: after.tracking - before.tracking,
    postgres: after.postgres - before.postgres,
    broker: after.broker - before.broker,
  }
  return { ...drained, cpu }
}

const cpuOf = ({ stack }: System): Cpu => ({
  tracking: cpuSecondsOf(stack.service('tracking').pid),
  postgres: cpuSecondsOf(stack.postgres.pid, { children: true }),
  broker: cpuSecondsOf(stack.broker.pid),
})

type Result = { title: string; reads: number; pairs: { base: Drained; now: Drained }[] }

/** Reads a second of each round, then the processor time per read. */
function report([base, now]: readonly Side[], { say }: Run, { title, reads, pairs }: Result): Verdict[] {
  const [name = '', ours = ''] = [base?.system.name, now?.system.name]
  const perSecond = ({ seconds }: Drained) => Math.round(reads / seconds).toLocaleString('en')
  const ratios = pairs.map((pair) => pair.base.seconds / pair.now.seconds)
  const rounds = pairs.map((pair, i) => [
    String(i + 1),
    perSecond(pair.base),
    perSecond(pair.now),
    (ratios[i] ?? Number.NaN).toFixed(2),
  ])
  const costs = [
    costRow(name, reads, pairs.map((pair) => pair.base)),
    costRow(ours, reads, pairs.map((pair) => pair.now)),
  ] // oxfmt-ignore
  say(`\n${title}, reads/s\n${table([['round', name, ours, 'ratio'], ...rounds])}\n\n`)
  say(`${table([['a read', 'all µs', 'tracking µs', 'PostgreSQL µs', 'broker µs', 'MiB'], ...costs])}\n`)
  return [ratioVerdict(`${title.split(':', 1)[0]}: ${name}'s time ÷ now's`, ratios)]
}

/** Medians of the rounds, microseconds of processor time for one read. */
function costRow(name: string, reads: number, rounds: readonly Drained[]): string[] {
  const costs = (['tracking', 'postgres', 'broker'] as const).map((part) =>
    median(rounds.map(({ cpu }) => (cpu[part] * 1e6) / reads)),
  )
  const resident = median(rounds.map(({ residentMiB }) => residentMiB))
  return [name, ...[sum(costs), ...costs].map((cost) => cost.toFixed(2)), resident.toFixed(0)]
}

async function compareDelays(sides: readonly Side[], run: Run): Promise<Verdict[]> {
  const movements = movementsOf(run)
  if (movements === 0) return []
  const pairs = await inRounds(sides, run.rounds, async ({ nc }, round) => {
    const { toEvents } = await move(
      nc,
      undefined,
      { perSecond: run.perSecond, total: movements },
      round * movements,
    )
    return { p50: quantile(toEvents, 0.5), p99: quantile(toEvents, 0.99) }
  })
  const [name = '', ours = ''] = sides.map(({ system }) => system.name)
  const head = ['round', `${name} p50 ms`, `${ours} p50 ms`, `${name} p99 ms`, `${ours} p99 ms`]
  const rows = pairs.map(({ base, now }, i) => [
    String(i + 1),
    ...[base.p50, now.p50, base.p99, now.p99].map((ms) => ms.toFixed(1)),
  ])
  run.say(`\nDelay from publishing to EVENTS, ${run.perSecond} movements/s\n${table([head, ...rows])}\n`)
  return (['p50', 'p99'] as const).map((share) =>
    ratioVerdict(
      `delay to EVENTS, ${share}: ${name}'s ÷ now's`,
      pairs.map(({ base, now }) => base[share] / now[share]),
    ),
  )
}
