import { freePort } from '@whereabouts/deploy/local/servers/free-port'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inspectable, profiled } from '../load/profiled.ts'
import { startLoadGenerator } from '../load/load.ts'
import { machine } from '../load/machine.ts'
import { benchEdgeAgainst, type AgainstSettings } from './against.ts'
import { fillOrganization } from './fill.ts'
import { measureMemory } from './memory.ts'
import { verdictTable, type Verdict } from '../load/verdict.ts'
import { measureAddedDelay, measureRefusals, measureThroughput, type Bench } from './speed.ts'

export const EDGE_HELP = `pnpm bench edge [flags]    measure the cost of the gateway: requests through it and directly to catalog

  --memory          measure only the memory of the gateway over 200 000 requests
  --only NAME       measure only throughput, delay or refusals
  --profile FILE    write a CPU profile of the gateway (slower: the figures do not count)
  --effort X        scale the time of each part, 0.1 to 3            default 1
  --against COMMIT  compare with the gateway of a commit, or of the folder of an installed checkout
  --rounds N        rounds of both with --against, 1 to 20           default 7
`

const ASSETS = 3_000
const KEYS = 16
const PARTS = { throughput: measureThroughput, delay: measureAddedDelay, refusals: measureRefusals }

type Settings = {
  memory: boolean
  parts: (keyof typeof PARTS)[]
  profile: string | undefined
  effort: number
}

function readSettings(args: string[]): Settings | AgainstSettings {
  const { values } = parseArgs({
    args,
    options: {
      memory: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      effort: { type: 'string', default: '1' },
      against: { type: 'string' },
      rounds: { type: 'string' },
    },
  })
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  const parts = names.filter((name) => values.only === undefined || name === values.only)
  if (parts.length === 0) throw new Error(`--only must be one of ${names.join(', ')}`)
  const effort = Number(values.effort)
  if (!(effort >= 0.1 && effort <= 3)) throw new Error('--effort must be a number from 0.1 to 3')
  const { memory, only, profile, against } = values
  if (against === undefined) {
    if (values.rounds !== undefined) throw new Error('--rounds needs --against')
    return { memory, parts, profile, effort }
  }
  if (memory || only !== undefined || profile !== undefined)
    throw new Error('--against allows only --rounds and --effort')
  const rounds = Number(values.rounds ?? 7)
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= 20)) throw new Error('--rounds must be 1 to 20')
  return { against, rounds, effort }
}

/** Starts the system on throwaway data, measures and prints tables. Resolves with true if every target was reached. */
export async function benchEdge(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  if ('against' in settings) return benchEdgeAgainst(settings, say)
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
  const inspectPort = await freePort()
  say(`${machine()}\nStarting the system and filling it with ${ASSETS} assets …\n`)
  let stack: Stack | undefined
  const generator = startLoadGenerator()
  try {
    stack = await startStack({
      dataDir: join(folder, 'data'),
      env: { gateway: inspectable(inspectPort) },
    })
    const filled = await fillOrganization(stack, { assets: ASSETS, keys: KEYS })
    const bench: Bench = { stack, generator, filled, effort: settings.effort, say }
    const verdicts = await profiled(
      stack.service('gateway'),
      { file: settings.profile, port: inspectPort },
      () => measure(bench, settings, inspectPort),
    )
    say(`${verdictTable(verdicts)}\nLoad average at the end: ${loadavg()[0]?.toFixed(2)}\n`)
    return verdicts.every(({ reached }) => reached)
  } finally {
    await generator.stop()
    await stack?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(bench: Bench, { memory, parts }: Settings, inspectPort: number): Promise<Verdict[]> {
  if (memory) return measureMemory(bench, inspectPort)
  const verdicts: Verdict[] = []
  for (const part of parts) verdicts.push(...(await PARTS[part](bench)))
  return verdicts
}
