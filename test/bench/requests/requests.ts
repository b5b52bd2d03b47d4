import { freePort } from '@whereabouts/deploy/workshop/servers/free-port'
import { ratioVerdict } from '../against/ratios.ts'
import { withBoth, withNow, type System } from '../against/systems.ts'
import { compare } from '../load/compare.ts'
import { asAdministrator } from '../load/database.ts'
import { readFlags } from '../load/flags.ts'
import { startLoadGenerator, type LoadGenerator } from '../load/load.ts'
import { inspectable, profiled } from '../load/profiled.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { fill, type Organization } from './fill.ts'
import { OPERATIONS, requestsOf, type Operation } from './operations.ts'
import { startReading } from './reading.ts'
import { recordStatements, statementsOf } from './statements.ts'
import { requestsTable, type Measured } from './table.ts'

const namesOf = (operations: readonly Operation[]) => operations.map(({ name }) => name).join(', ')

export const REQUESTS_HELP = `pnpm bench requests [flags]    measure single operations through the gateway: rate, delay and processor time of each process

  --only TEXT       only the operation of this name, or all with this text in their name; can be repeated:
                    ${namesOf(OPERATIONS.filter(({ isRare }) => !isRare))}
                    and, only on request, ${namesOf(OPERATIONS.filter(({ isRare }) => isRare))}
  --rounds N        rounds of each operation, 1 to 50                default 3
  --seconds N       seconds of a round, 1 to 60                      default 6
  --connections N   1 to 512                                         default 32
  --organizations N organizations that ask in turn, 1 to 1000        default 1
  --assets N        assets of each organization, 100 to 200000       default 3000
                    and at most 200000 in all
  --history N       rows of history of each asset, 1 to 1000         default 40
  --days N          the time over which they spread, 1 to 365        default 1
  --per-second N    requests by the clock, 1 to 5000                 default: without a pause
  --reads N         reads a second of the first organization meanwhile, in messages of 10, 10 to 10000
  --against COMMIT  compare with a commit, or with the folder of an installed checkout
  --statements      list the statements of each operation from pg_stat_statements (slower: the figures do not count)
  --profile FILE    write a CPU profile of a service (slower: the figures do not count)
  --service NAME    the service of --profile                         default gateway
`

const SERVICES = ['keys', 'catalog', 'tracking', 'webhook-dispatcher', 'gateway'] as const
/** A service costs up to twice as much until V8 has optimized it. */
const WARM_UP = 10_000
/** Enough where a request is slow because it reads many rows. */
const WARM_UP_SECONDS = 30
const MOST_ASSETS = 200_000
/** Delay of 99 of 100 requests, with one connection. */
const MOST_ALONE_MS = 50

const NUMBERS = {
  rounds: [1, 50, 3],
  seconds: [1, 60, 6],
  connections: [1, 512, 32],
  organizations: [1, 1_000, 1],
  assets: [100, MOST_ASSETS, 3_000],
  history: [1, 1_000, 40],
  days: [1, 365, 1],
  'per-second': [1, 5_000],
  reads: [10, 10_000],
} as const

type Settings = ReturnType<typeof readSettings>
type Say = (text: string) => void

/** `report` is that operation; `report-` is all whose name has it. */
const isNamed = ({ name }: Operation, text: string) =>
  OPERATIONS.some((one) => one.name === text) ? name === text : name.includes(text)

function readSettings(args: string[]) {
  const { numbers, only, service: name, ...values } = readFlags(args, NUMBERS, {
    only: { type: 'string', multiple: true },
    against: { type: 'string' },
    statements: { type: 'boolean', default: false },
    profile: { type: 'string' },
    service: { type: 'string', default: 'gateway' },
  }) // oxfmt-ignore
  const { organizations, assets, reads } = numbers
  if (organizations * assets > MOST_ASSETS)
    throw new Error(`--organizations times --assets must be at most ${MOST_ASSETS}`)
  const operations = OPERATIONS.filter((one) =>
    only ? only.some((text) => isNamed(one, text)) : !one.isRare,
  )
  if (operations.length === 0) throw new Error(`--only must be part of one of ${namesOf(OPERATIONS)}`)
  const service = SERVICES.find((one) => one === name)
  if (!service) throw new Error(`--service must be one of ${SERVICES.join(', ')}`)
  const { against, statements, profile: file } = values
  if (against !== undefined && (file !== undefined || reads !== undefined))
    throw new Error('--against does not allow --profile and --reads')
  return {
    ...numbers,
    perSecond: numbers['per-second'],
    operations,
    against,
    statements,
    profile: { file, service },
  }
}

/**
 * Starts the system, or both versions, on throwaway data, measures and prints tables. Resolves with false if an operation
 * costs more processor time than in the other version.
 */
export async function benchRequests(args: string[], say: Say): Promise<boolean> {
  const settings = readSettings(args)
  const { against, profile } = settings
  const common = { services: SERVICES, say }
  if (against !== undefined)
    return withBoth({ ...common, against }, ({ base, now }) => measure([base, now], settings, say))
  const port = await freePort()
  return withNow({ ...common, env: { [profile.service]: inspectable(port) } }, async (now) =>
    measure([now], settings, say, (work) =>
      profiled(now.stack.service(profile.service), { file: profile.file, port }, work),
    ),
  )
}

type Target = System & { organizations: Organization[] }

async function measure(
  systems: readonly System[],
  settings: Settings,
  say: Say,
  observed = (work: () => Promise<Measured[]>) => work(),
): Promise<boolean> {
  const targets: Target[] = []
  for (const system of systems) targets.push(await prepare(system, settings, say))
  const generator = startLoadGenerator()
  const [first] = systems
  const { reads } = settings
  const reading = first && reads !== undefined && (await startReading(first.stack, reads, say))
  try {
    for (const target of targets) await warmUp(target, generator, settings)
    const measured = await observed(() => measureAll(targets, generator, settings, say))
    say(requestsTable(measured))
    const verdicts = targets.length > 1 ? measured.map(costVerdict) : aloneVerdicts(measured, settings)
    if (verdicts.length > 0) say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  } finally {
    if (reading) await reading.stop()
    await generator.stop()
  }
}

function costVerdict({ operation, result }: Measured): Verdict {
  const better = (result.roundCpuRatios[0] ?? []).map((ratio) => 1 / ratio)
  return ratioVerdict(`${operation}: processor time, ${result.sides[0]?.name} ÷ now`, better)
}

/** Requests that wait for no others have a target. */
function aloneVerdicts(measured: readonly Measured[], { connections, operations }: Settings): Verdict[] {
  const targeted = new Set(operations.filter(({ readsAll }) => !readsAll).map(({ name }) => name))
  return measured
    .filter(({ operation }) => connections === 1 && targeted.has(operation))
    .map(({ operation, result }) =>
      atMost(`${operation}: p99`, MOST_ALONE_MS, [result.sides[0]?.p99 ?? Number.NaN]),
    )
}

async function prepare(system: System, settings: Settings, say: Say): Promise<Target> {
  if (settings.statements) await recordStatements(system.stack)
  const started = performance.now()
  const { organizations, assets, history } = settings
  say(`Filling ${system.name}: ${organizations} × ${assets} assets, ${history} rows of history each …\n`)
  const filled = await fill(system.stack, settings)
  say(`Filled in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
  return { ...system, organizations: filled }
}

/**
 * All operations in turn. Then PostgreSQL analyzes what they wrote: checks of foreign keys keep a plan from when the tables
 * were small, and the version that starts second would keep it for longer.
 */
async function warmUp({ organizations, stack }: Target, generator: LoadGenerator, settings: Settings) {
  const job = {
    origin: stack.urls.base,
    connections: settings.connections,
    requests: Math.ceil(WARM_UP / settings.operations.length),
    seconds: WARM_UP_SECONDS,
  }
  for (const operation of settings.operations)
    await generator.run({ ...job, asked: requestsOf(organizations, operation) })
  await asAdministrator(stack, (client) => client.query('analyze'))
}

async function measureAll(
  targets: readonly Target[],
  generator: LoadGenerator,
  { operations, seconds, connections, rounds, statements, perSecond }: Settings,
  say: Say,
): Promise<Measured[]> {
  const [first] = targets
  const load = { seconds, connections, ...(perSecond !== undefined && { perSecond }) }
  if (!first) throw new Error('no system')
  const measured: Measured[] = []
  for (const operation of operations) {
    say(`${operation.name} …\n`)
    const sides = targets.map(({ name, stack, organizations }) => ({
      name,
      stack,
      origin: stack.urls.base,
      expectStatus: operation.status,
      ...(operation.status === 429 && { strayStatus: 200 }),
      asked: requestsOf(organizations, operation),
    }))
    measured.push({
      operation: operation.name,
      result: await compare({ ...first, generator }, sides, load, rounds),
    })
    for (const { name, stack, origin, asked } of statements ? sides : []) {
      const run = async () => (await generator.run({ origin, asked, ...load })).requests
      say(`Statements of ${operation.name}, ${name}\n${await statementsOf(stack, run)}\n`)
    }
  }
  return measured
}
