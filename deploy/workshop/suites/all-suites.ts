import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Vitest } from './run-vitest.ts'
import { deservesSecondTry, outcomeOf, withSecondTry, type Outcome } from './suite-report.ts'

/** Alone: some depend on the database answering in time. Many wait for a moment that is part of a rule. */
const FIRST = ['unit', 'integration'] as const
const FIRST_WORKERS = `--maxWorkers=${availableParallelism() + 2}`
/**
 * Then these lanes side by side, and the runs of a lane one after the other; each run starts the systems of its projects
 * and stops them at its end, because even an idle system costs processor time.
 */
const LANES = [[['contract', 'console']], [['blackbox'], ['operator']]] as const
/** Alone, after all lanes: the walls count what a flood leaves for others, and what runs beside them takes from that. */
const LAST = ['walls'] as const

/**
 * Runs all projects but the slow ones, each run with `args`, and prints the failures and the sum of all runs at the
 * end. If few files of a run failed, they run once more, alone: what passes then depends on the load of the machine. It is
 * named as unsteady, to be repaired, and does not fail the run. Resolves with the exit code.
 */
export async function runAllSuites(vitest: Vitest, args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'))
  const run = async (projects: readonly string[], ...more: string[]): Promise<Outcome> => {
    process.stdout.write(`\nStarting ${projects.join(', ')}\n`)
    const file = join(folder, `${projects.join('-')}.json`)
    const chosen = projects.map((name) => `--project=${name}`)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    return outcomeOf(projects, await vitest([...args, ...more, ...chosen, ...reporters], 'lines'), file)
  }
  type Done = { projects: readonly string[]; outcome: Outcome }
  const runLane = async (lane: readonly (readonly string[])[]) => {
    const done: Done[] = []
    for (const projects of lane) done.push({ projects, outcome: await run(projects) })
    return done
  }
  const first = { projects: FIRST, outcome: await run(FIRST, FIRST_WORKERS) }
  const beside = (await Promise.all(LANES.map(runLane))).flat()
  const last = await runLane([LAST])
  const outcomes: Outcome[] = []
  const unsteady: string[] = []
  for (const { projects, outcome } of [first, ...beside, ...last]) {
    const again = deservesSecondTry(outcome) ? await run(projects, ...outcome.failed.files) : undefined
    if (again?.code === 0) unsteady.push(...outcome.failures)
    outcomes.push(again ? withSecondTry(outcome, again) : outcome)
  }
  rmSync(folder, { recursive: true })
  if (unsteady.length > 0)
    process.stdout.write(`\nUnsteady, passed when run once more, alone:\n${unsteady.join('\n')}\n`)
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`)
  const sum = (field: 'passed' | 'skipped') => outcomes.reduce((total, outcome) => total + outcome[field], 0)
  const skipped = sum('skipped') > 0 ? `${sum('skipped')} skipped, ` : ''
  process.stdout.write(`\n${skipped}${sum('passed')} passed, ${failures.length} failed\n`)
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0
}
