import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@whereabouts/deploy/workshop/servers/free-port'
import { connect } from 'nats'
import { compareRates, inRounds, worked, type Pair } from '../against/rounds.ts'
import { withBoth, withNow, type System } from '../against/systems.ts'
import { readFlags } from '../load/flags.ts'
import { sum } from '../load/figures.ts'
import { inspectable, profiled } from '../load/profiled.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { deliverAll, dispatcherPid, type Bench, type Side } from './bench.ts'
import { measureDelay, measureHanging } from './delay.ts'
import { measureMemory } from './memory.ts'
import { startReceiver, type Receiver } from './receiver.ts'

export const WEBHOOKS_HELP = `pnpm bench webhooks [flags]    compare deliveries per second with a commit; delay, a hanging receiver, memory

  --against COMMIT  a commit, or the folder of an installed checkout     default HEAD
  --only NAME       measure only throughput, delay, hanging or memory; without throughput, this checkout alone
  --orgs N          organizations with a webhook each, 2 to 1000         default 200
  --rounds N        rounds of each side of throughput, 1 to 20           default 5
  --profile FILE    write a CPU profile of this checkout's dispatcher (slower: the figures do not count; not for memory)
  --effort X        scale the time of each part, 0.1 to 3                default 1
`

const NUMBERS = { orgs: [2, 1_000, 200], rounds: [1, 20, 5], effort: [0.1, 3, 1] } as const
const PARTS = {
  throughput: compareThroughput,
  delay: measureDelay,
  hanging: measureHanging,
  memory: measureMemory,
}
const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[]

type Settings = ReturnType<typeof readSettings>

function readSettings(args: string[]) {
  const { numbers, against, only, profile } = readFlags(args, NUMBERS, {
    against: { type: 'string', default: 'HEAD' },
    only: { type: 'string' },
    profile: { type: 'string' },
  })
  if (only !== undefined && !Object.hasOwn(PARTS, only))
    throw new Error(`--only must be one of ${NAMES.join(', ')}`)
  // The inspector accepts one client at a time.
  const parts = NAMES.filter(
    (name) => (only ?? name) === name && (name !== 'memory' || profile === undefined),
  )
  if (parts.length === 0) throw new Error('--profile does not work for memory')
  return { ...numbers, against, profile, parts }
}

/** Starts broker, database and dispatcher on throwaway data, measures and prints tables. */
export async function benchWebhooks(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  const { against, parts } = settings
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-receiver-'))
  const receiver = await startReceiver()
  try {
    const caFile = join(folder, 'receiver-ca.pem')
    writeFileSync(caFile, receiver.ca)
    const port = await freePort()
    const env = { 'webhook-dispatcher': { ...inspectable(port), NODE_EXTRA_CA_CERTS: caFile } }
    const options = { services: ['webhook-dispatcher'] as const, env, say }
    const run = (both: Pair<System>) => measure(both, settings, receiver, port, say)
    return await (parts.includes('throughput')
      ? withBoth({ ...options, against }, run)
      : withNow(options, (now) => run({ base: now, now })))
  } finally {
    await receiver.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  { base, now }: Pair<System>,
  { parts, profile: file, orgs, rounds, effort }: Settings,
  receiver: Receiver,
  inspectPort: number,
  say: (text: string) => void,
): Promise<boolean> {
  const opened: Side[] = []
  try {
    for (const system of new Set([base, now])) opened.push(await prepare(system, receiver, orgs))
    const [first, last] = [opened[0], opened.at(-1)]
    if (!first || !last) throw new Error('a system is missing')
    const sides = { base: first, now: last }
    const bench: Bench = { sides, receiver, orgs, rounds, effort, inspectPort, next: 1, say }
    const dispatcher = now.stack.service('webhook-dispatcher')
    const verdicts = await profiled(dispatcher, { file, port: inspectPort }, async () => {
      const all: Verdict[] = []
      for (const part of parts) all.push(...(await PARTS[part](bench)))
      return all
    })
    verdicts.push(await nothingDropped(now))
    say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  } finally {
    await Promise.all(opened.map(({ nc }) => nc.close()))
  }
}

async function prepare(system: System, receiver: Receiver, orgs: number): Promise<Side> {
  const { stack, load } = system
  const pass = stack.secrets.nats.services_password
  const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
  const { registerWebhooks } = await load('test/bench/webhooks/bench.ts')
  await registerWebhooks({ stack, nc, receiver, orgs })
  return { system, nc, eventOf: (await load('test/bench/webhooks/events.ts')).eventOf }
}

const DELIVERIES = 8_000

/** Deliveries per second without a pause. The receiver measures both sides. */
async function compareThroughput(bench: Bench): Promise<Verdict[]> {
  const count = Math.round(DELIVERIES * bench.effort)
  const { base, now } = bench.sides
  const pairs = await inRounds({ base, now }, bench.rounds, (side) =>
    worked(side.system, dispatcherPid(side), () => deliverAll(bench, side, count)),
  )
  const report = { title: 'Throughput', unit: 'deliveries', count, pairs }
  return [compareRates({ base: base.system, now: now.system }, report, bench.say)]
}

/** A result with dropped deliveries is not valid. */
async function nothingDropped({ stack }: System): Promise<Verdict> {
  const metrics = await (await fetch(`${stack.urls.ops['webhook-dispatcher']}/metrics`)).text()
  const counts = [...metrics.matchAll(/^webhook_dropped_total\{.*\} (\d+)$/gm)].map(([, n]) => Number(n))
  return atMost('deliveries dropped', 0, [sum(counts)], '')
}
