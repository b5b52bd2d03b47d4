import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '@whereabouts/deploy/local/servers/free-port'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { connect } from 'nats'
import { verdictTable, type Verdict } from '../load/verdict.ts'
import { machine } from '../load/machine.ts'
import { inspectable, profiled } from '../load/profiled.ts'
import { registerWebhooks, type Bench } from './bench.ts'
import { watchOthers } from './cpu.ts'
import { measureDelay, measureHanging } from './delay.ts'
import { startFloor } from './floor.ts'
import { measureMemory } from './memory.ts'
import { startReceiver } from './receiver.ts'
import { measureThroughput } from './throughput.ts'

export const WEBHOOKS_HELP = `pnpm bench webhooks [flags]    measure deliveries per second against a bare loop; delay, a hanging receiver, memory

  --only NAME       measure only throughput, delay, hanging or memory
  --orgs N          organizations with a webhook each, 2 to 1000     default 200
  --profile FILE    write a CPU profile of the dispatcher (slower: the figures do not count; not for memory)
  --effort X        scale the time of each part, 0.1 to 3            default 1
`

const PARTS = {
  throughput: measureThroughput,
  delay: measureDelay,
  hanging: measureHanging,
  memory: measureMemory,
}

type Settings = {
  parts: (keyof typeof PARTS)[]
  orgs: number
  profile: string | undefined
  effort: number
}

function readSettings(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      orgs: { type: 'string', default: '200' },
      profile: { type: 'string' },
      effort: { type: 'string', default: '1' },
    },
  })
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  const parts = names.filter((name) => values.only === undefined || name === values.only)
  if (parts.length === 0) throw new Error(`--only must be one of ${names.join(', ')}`)
  const [orgs, effort] = [Number(values.orgs), Number(values.effort)]
  if (!(Number.isInteger(orgs) && orgs >= 2 && orgs <= 1000)) throw new Error('--orgs must be 2 to 1000')
  if (!(effort >= 0.1 && effort <= 3)) throw new Error('--effort must be a number from 0.1 to 3')
  // The inspector accepts one client at a time.
  const shown = values.profile === undefined ? parts : parts.filter((name) => name !== 'memory')
  if (shown.length === 0) throw new Error('--profile does not work for memory')
  return { parts: shown, orgs, profile: values.profile, effort }
}

type Stop = () => Promise<unknown> | void

/** Starts broker, database and dispatcher on throwaway data, measures and prints tables. */
export async function benchWebhooks(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  const stops: Stop[] = []
  const interruption = new AbortController()
  const interrupted = new Promise<never>((_, reject) => {
    const interrupt = () => {
      interruption.abort()
      reject(new Error('interrupted'))
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  })
  try {
    const work = async () => measure(await start(settings, interruption.signal, stops, say), settings)
    const verdicts = await Promise.race([work(), interrupted])
    say(`${verdictTable(verdicts)}\nLoad average at the end: ${loadavg()[0]?.toFixed(2)}\n`)
    return verdicts.every(({ reached }) => reached)
  } finally {
    while (stops.length > 0) await stops.pop()?.()
  }
}

/** Every started part adds its stop to `stops`. */
async function start(
  { orgs, effort }: Settings,
  signal: AbortSignal,
  stops: Stop[],
  say: (text: string) => void,
): Promise<Bench> {
  say(`${machine()}\nStarting the dispatcher with the webhooks of ${orgs} organizations …\n`)
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
  stops.push(() => rmSync(folder, { recursive: true, force: true }))
  const receiver = await startReceiver()
  stops.push(() => receiver.stop())
  const floor = await startFloor()
  stops.push(() => floor.stop())
  const inspectPort = await freePort()
  const stack = await startDispatcher(folder, receiver.ca, inspectPort, stops)
  const { nats } = stack.secrets
  const nc = await connect({ servers: stack.urls.nats, user: 'services', pass: nats.services_password })
  stops.push(() => nc.close())
  const bench: Bench = { stack, nc, receiver, floor, orgs, effort, inspectPort, signal, next: 1, say }
  await registerWebhooks(bench)
  return bench
}

function startDispatcher(folder: string, ca: string, inspectPort: number, stops: Stop[]): Promise<Stack> {
  const caFile = join(folder, 'receiver-ca.pem')
  writeFileSync(caFile, ca)
  const starting = startStack({
    dataDir: join(folder, 'data'),
    services: ['webhook-dispatcher'],
    env: { 'webhook-dispatcher': { ...inspectable(inspectPort), NODE_EXTRA_CA_CERTS: caFile } },
  })
  // Also when interrupted during the start; a failed start stops itself.
  stops.push(() => starting.then((stack) => stack.stop(), () => undefined)) // oxfmt-ignore
  return starting
}

async function measure(bench: Bench, { parts, profile }: Settings): Promise<Verdict[]> {
  const service = bench.stack.service('webhook-dispatcher')
  const verdicts = await profiled(service, { file: profile, port: bench.inspectPort }, async () => {
    const all: Verdict[] = []
    for (const part of parts) {
      const othersShare = watchOthers(bench)
      all.push(...(await PARTS[part](bench)))
      bench.say(`  Other programs took ${(othersShare() * 100).toFixed(0)} % of the machine.\n`)
    }
    return all
  })
  return [...verdicts, await nothingDropped(bench)]
}

/** A result with dropped deliveries is not valid. */
async function nothingDropped({ stack }: Bench): Promise<Verdict> {
  const metrics = await (await fetch(`${stack.urls.ops['webhook-dispatcher']}/metrics`)).text()
  const counts = [...metrics.matchAll(/^webhook_dropped_total\{.*\} (\d+)$/gm)].map(([, n]) => Number(n))
  const dropped = counts.reduce((total, n) => total + n, 0)
  return { what: 'deliveries dropped', wanted: '0', got: String(dropped), reached: dropped === 0 }
}
