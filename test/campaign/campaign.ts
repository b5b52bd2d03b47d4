import { join, resolve } from 'node:path'
import { roundsOf, type Options } from './options.ts'
import { describeFault, planOf, type Fault } from './plan/plan.ts'
import { shrink } from './plan/shrink.ts'
import { finalTable, findingsText, roundLine } from './report.ts'
import { runRound, type Round, type RoundOptions } from './round.ts'
import { NoVerdict, reasonOf } from './verdict.ts'

/** The load goes on after the last fault, so that the ledger sees what it left. */
const AFTER_LAST_MS = 20_000
const MOST_TRIALS = 30
const LOGS = resolve(import.meta.dirname, '../../.data/campaign')

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

/** What is the same for all rounds. Tests have a folder and parts of their own. */
export type CampaignParts = Pick<RoundOptions, 'say' | 'interrupted' | 'start' | 'loginMs'> & {
  logs?: string
}

const run = (parts: CampaignParts, plan: Planned, isPart: boolean): Promise<Round> =>
  runRound({
    ...parts,
    seed: plan.seed,
    faults: plan.faults,
    ms: lengthOf(plan, isPart),
    logsFolder: join(parts.logs ?? LOGS, `${plan.seed}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`),
  })

/** Repeats the round with parts of its faults while it finds something of a kind that the whole round found. */
async function shrinkRound(parts: CampaignParts, plan: Planned, found: Round): Promise<void> {
  const { say } = parts
  const wanted = new Set(found.findings.map(({ kind }) => kind))
  const stillFinds = async (faults: readonly Fault[]) => {
    say(`Trying ${faults.length} faults: ${faults.map(({ index }) => index).join(',')}`)
    const round = await run(parts, { ...plan, faults: [...faults] }, true)
    say(roundLine(round))
    return round.findings.some(({ kind }) => wanted.has(kind))
  }
  const left = await shrink(plan.faults, stillFinds, MOST_TRIALS)
  say(`Seed ${plan.seed} needs these faults: --only ${left.map(({ index }) => index).join(',')}`)
  for (const fault of left) say(`  ${describeFault(fault)}`)
}

/**
 * Runs the rounds and says what came of them. The last line is a verdict however it ends. Returns the exit code: 0 nothing
 * was found, 1 findings, 2 no verdict.
 */
export async function campaign(options: Options, parts: CampaignParts): Promise<number> {
  const { say } = parts
  const rounds: Round[] = []
  const conclude = (verdict: string) => {
    if (rounds.length > 0) say(`\n${finalTable(rounds)}`)
    say(`\n${verdict}`)
  }
  const sum = () => rounds.reduce((all, { findings }) => all + findings.length, 0)
  try {
    for (const plan of planned(options)) {
      say(`Seed ${plan.seed}: ${plan.faults.length} faults in ${plan.minutes} minutes`)
      if (options.printsPlan) {
        for (const fault of plan.faults) say(`  ${describeFault(fault)}`)
        continue
      }
      const round = await run(parts, plan, options.only !== undefined)
      rounds.push(round)
      say(roundLine(round))
      if (round.findings.length === 0) continue
      say(findingsText(round, plan.minutes, options.everyMs))
      if (options.shrinks) await shrinkRound(parts, plan, round)
    }
  } catch (error) {
    const before = sum() > 0 ? ` Findings of the rounds before: ${sum()}.` : ''
    conclude(`No verdict: ${error instanceof NoVerdict ? error.message : reasonOf(error)}.${before}`)
    return 2
  }
  if (rounds.length > 0) conclude(sum() > 0 ? `Verdict: ${sum()} findings.` : 'Verdict: nothing was found.')
  return sum() > 0 ? 1 : 0
}
