// `pnpm campaign`: a whole system under load and faults. All servers listen on loopback.
import { randomInt } from 'node:crypto'
import { join, resolve } from 'node:path'
import { HELP, readOptions, roundsOf, UsageError, type Options } from './options.ts'
import { describeFault, planOf, type Fault } from './plan/plan.ts'
import { shrink } from './plan/shrink.ts'
import { finalTable, findingsText, roundLine } from './report.ts'
import { runRound, type Round } from './round.ts'

/** The load goes on after the last fault, so that the ledger sees what it left. */
const AFTER_LAST_MS = 20_000
const MOST_TRIALS = 30
const LOGS = resolve(import.meta.dirname, '../../.data/campaign')

const say = (line: string) => void process.stdout.write(`${line}\n`)

type Planned = { seed: number; minutes: number; faults: Fault[] }

function planned(options: Options): Planned[] {
  return roundsOf(options).map(({ seed, minutes }) => {
    const all = planOf({ seed, minutes, everyMs: options.everyMs })
    return { seed, minutes, faults: all.filter(({ index }) => options.only?.includes(index) ?? true) }
  })
}

/** A part of a plan ends soon after its last fault. */
function lengthOf({ minutes, faults }: Planned, isPart: boolean): number {
  const last = Math.max(0, ...faults.map(({ atMs, durationMs }) => atMs + durationMs))
  return isPart ? Math.min(minutes * 60_000, last + AFTER_LAST_MS) : minutes * 60_000
}

const run = (plan: Planned, isPart: boolean): Promise<Round> =>
  runRound({
    seed: plan.seed,
    faults: plan.faults,
    ms: lengthOf(plan, isPart),
    logsFolder: join(LOGS, `${plan.seed}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`),
    say,
  })

/** Repeats the round with parts of its faults while it finds something of a kind that the whole round found. */
async function shrinkRound(plan: Planned, found: Round): Promise<void> {
  const wanted = new Set(found.findings.map(({ kind }) => kind))
  const stillFinds = async (faults: readonly Fault[]) => {
    say(`Trying ${faults.length} faults: ${faults.map(({ index }) => index).join(',')}`)
    const round = await run({ ...plan, faults: [...faults] }, true)
    say(roundLine(round))
    return round.findings.some(({ kind }) => wanted.has(kind))
  }
  const left = await shrink(plan.faults, stillFinds, MOST_TRIALS)
  say(`Seed ${plan.seed} needs these faults: --only ${left.map(({ index }) => index).join(',')}`)
  for (const fault of left) say(`  ${describeFault(fault)}`)
}

async function campaign(options: Options): Promise<number> {
  const rounds: Round[] = []
  for (const plan of planned(options)) {
    say(`Seed ${plan.seed}: ${plan.faults.length} faults in ${plan.minutes} minutes`)
    if (options.printsPlan) {
      for (const fault of plan.faults) say(`  ${describeFault(fault)}`)
      continue
    }
    const round = await run(plan, options.only !== undefined)
    rounds.push(round)
    say(roundLine(round))
    if (round.findings.length === 0) continue
    say(findingsText(round, plan.minutes, options.everyMs))
    if (options.shrinks) await shrinkRound(plan, round)
  }
  if (rounds.length > 0) say(`\n${finalTable(rounds)}`)
  return rounds.some(({ findings }) => findings.length > 0) ? 1 : 0
}

// Ends with its wrapper. The channel itself does not keep the process alive.
process.once('disconnect', () => process.exit(2))
process.channel?.unref()

try {
  const options = readOptions(process.argv.slice(2), randomInt(1, 2 ** 31))
  if (options === 'help') say(HELP)
  else process.exitCode = await campaign(options)
} catch (error) {
  const text = error instanceof UsageError ? `${error.message}\n\n${HELP}` : error instanceof Error ? error.stack : String(error) // oxfmt-ignore
  process.stderr.write(`${text}\n`)
  process.exitCode = 2
}
