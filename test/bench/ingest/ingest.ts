import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '@whereabouts/deploy/local/servers/free-port'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { connect, type NatsConnection } from 'nats'
import { verdictTable, type Verdict } from '../load/verdict.ts'
import { machine } from '../load/machine.ts'
import { inspectable, profiled } from '../load/profiled.ts'
import { AGAINST_PARTS, benchIngestAgainst, type AgainstPart } from './against.ts'
import type { Bench, Settings } from './bench.ts'
import { measureDelays, MOVING_ORG } from './delay.ts'
import { startFloor, type Floor } from './floors.ts'
import { measureNewRows } from './new-rows.ts'
import { measureRescans } from './rescans.ts'
import { measureScale } from './scale.ts'
import { addFloorDurable, announce, configureReaders, restartTracking } from './warehouse.ts'

export const INGEST_HELP = `pnpm bench ingest [flags]     measure reads per second against a bare consumer and bare inserts; delay to report and EVENTS

  --orgs N          organizations, 1 to 1000                             default 10
  --assets N        assets of all organizations, 1000 to 1000000         default 2000
  --messages N      messages of 50 rescans in a round                    default 10000
  --minutes N       new rows of each asset in a round                    default 100
  --rounds N        rounds of floor and tracking in turn                 default 5
  --delay-seconds N send messages this long; 0: skip                     default 30
  --per-second N    messages a second meanwhile, 1 to 5000               default 1000
  --only NAME       measure only rescans, rows or delay; or scale: the cost of a read from 10 to 1000
                    organizations and from 1000 to 1000000 assets, which takes about ten minutes
  --profile FILE    write a CPU profile of tracking (slower: the figures do not count)
  --against COMMIT  compare with tracking of a commit, or of the folder of an installed checkout, in alternating
                    rounds; --delay-seconds is the total time for each side
`

const PARTS = { rescans: measureRescans, rows: measureNewRows, delay: measureDelays, scale: measureScale }
type Part = keyof typeof PARTS
const isPart = (name: string): name is Part => name in PARTS

type Run = Settings & { parts: Part[]; profile: string | undefined }
type AgainstRun = Settings & { against: string; parts: AgainstPart[] }

function readSettings(args: string[]): Run | AgainstRun {
  const { values } = parseArgs({
    args,
    options: {
      orgs: { type: 'string', default: '10' },
      assets: { type: 'string', default: '2000' },
      messages: { type: 'string', default: '10000' },
      minutes: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '5' },
      'delay-seconds': { type: 'string', default: '30' },
      'per-second': { type: 'string', default: '1000' },
      only: { type: 'string' },
      profile: { type: 'string' },
      against: { type: 'string' },
    },
  })
  const bounded = (
    name: Exclude<keyof typeof values, 'only' | 'profile' | 'against'>,
    min: number,
    max: number,
  ) => {
    const value = Number(values[name])
    if (!(Number.isInteger(value) && value >= min && value <= max))
      throw new Error(`--${name} must be ${min} to ${max}`)
    return value
  }
  const orgs = Array.from({ length: bounded('orgs', 1, 1_000) }, (_, i) => 101 + i)
  const settings = {
    warehouse: { orgs, assetsPerOrg: Math.ceil(bounded('assets', 1_000, 1_000_000) / orgs.length) },
    messages: bounded('messages', 100, 100_000),
    minutes: bounded('minutes', 1, 500),
    rounds: bounded('rounds', 1, 20),
    delaySeconds: bounded('delay-seconds', 0, 60),
    perSecond: bounded('per-second', 1, 5_000),
  }
  const { against, profile } = values
  const parts = partsOf(values.only)
  if (against === undefined) return { ...settings, parts, profile }
  const paired = AGAINST_PARTS.filter((part) => parts.includes(part))
  if (profile !== undefined || paired.length === 0)
    throw new Error('--against does not allow --profile and --only scale')
  return { ...settings, against, parts: paired }
}

function partsOf(only: string | undefined): Part[] {
  if (only === undefined) return ['delay', 'rescans', 'rows']
  if (!isPart(only)) throw new Error(`--only must be one of ${Object.keys(PARTS).join(', ')}`)
  return [only]
}

/** Starts broker, database and tracking on throwaway data, measures and prints tables. */
export async function benchIngest(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  if ('against' in settings) return benchIngestAgainst(settings, say)
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
  const port = await freePort()
  let [stack, nc, floor]: [Stack?, NatsConnection?, Floor?] = []
  try {
    say(`${machine()}\nStarting tracking …\n`)
    const env = { tracking: inspectable(port) }
    stack = await startStack({ dataDir: join(folder, 'data'), services: ['catalog', 'tracking'], env })
    const pass = stack.secrets.nats.services_password
    nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
    await prepare(stack, nc, settings)
    floor = await startFloor(stack)
    const bench: Bench = { stack, nc, floor, settings, say }
    const profile = { file: settings.profile, port }
    const verdicts = await profiled(stack.service('tracking'), profile, () => measure(bench, settings.parts))
    say(`${verdictTable(verdicts)}\nLoad average at the end: ${loadavg()[0]?.toFixed(2)}\n`)
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
  { warehouse, delaySeconds, perSecond }: Settings,
): Promise<void> {
  const moving = { orgs: [MOVING_ORG], assetsPerOrg: Math.max(1, delaySeconds * perSecond) }
  await configureReaders(stack, [...warehouse.orgs, MOVING_ORG])
  await announce(nc, warehouse)
  await announce(nc, moving)
  await addFloorDurable(nc)
  await restartTracking(stack)
}

async function measure(bench: Bench, parts: readonly Part[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const part of parts) verdicts.push(...(await PARTS[part](bench)))
  return verdicts
}
