import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Vitest } from './run-vitest.ts'
import { outcomeOf, type Outcome } from './suite-report.ts'

/** Alone: some depend on the database answering in time. Many wait for a moment that is part of a rule. */
const FIRST = ['unit', 'integration'] as const
const FIRST_WORKERS = `--maxWorkers=${availableParallelism() + 2}`
/**
 * Then these lanes side by side, and the runs of a lane one after the other; each run starts the systems of its projects
 * and stops them at its end, because even an idle system costs processor time. The walls come last, when the
 * browser tests are nearly done: they count what a flood leaves for others.
 */
const LANES = [[['contract', 'console']], [['blackbox'], ['operator'], ['walls']]] as const

/**
 * Runs all projects but the slow ones, each run with `args`, and prints the failures and the sum of all runs at the
 * end. Resolves with the exit code.
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
  const runLane = async (lane: readonly (readonly string[])[]) => {
    const done: Outcome[] = []
    for (const projects of lane) done.push(await run(projects))
    return done
  }
  const outcomes = [await run(FIRST, FIRST_WORKERS), ...(await Promise.all(LANES.map(runLane))).flat()]
  rmSync(folder, { recursive: true })
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`)
  const sum = (field: 'passed' | 'skipped') => outcomes.reduce((total, outcome) => total + outcome[field], 0)
  const skipped = sum('skipped') > 0 ? `${sum('skipped')} skipped, ` : ''
  process.stdout.write(`\n${skipped}${sum('passed')} passed, ${failures.length} failed\n`)
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0
}
