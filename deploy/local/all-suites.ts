import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Vitest } from './run-vitest.ts'
import { outcomeOf, type Outcome } from './suite-report.ts'

/**
 * Projects of vitest.config.ts, by stage. The runs of a stage start together; each starts the systems of its projects
 * and stops them at its end, because even an idle system costs processor time. A project whose files run one after the
 * other is a separate run.
 */
const STAGES = [
  [['unit', 'integration']],
  [['contract', 'console']],
  [['walls'], ['operator'], ['blackbox']],
] as const

/**
 * Runs all projects but the soak, each run with `args`, and prints the failures and the sum of all runs at the end.
 * Resolves with the exit code.
 */
export async function runAllSuites(vitest: Vitest, args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'))
  const outcomes: Outcome[] = []
  for (const [index, stage] of STAGES.entries()) {
    process.stdout.write(`\nStage ${index + 1} of ${STAGES.length}: ${stage.flat().join(', ')}\n`)
    const output = stage.length === 1 ? 'terminal' : 'lines'
    const run = async (projects: readonly string[]) => {
      const file = join(folder, `${projects.join('-')}.json`)
      const chosen = projects.map((name) => `--project=${name}`)
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
      return outcomeOf(projects, await vitest([...args, ...chosen, ...reporters], output), file)
    }
    outcomes.push(...(await Promise.all(stage.map(run))))
  }
  rmSync(folder, { recursive: true })
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`)
  const sum = (field: 'passed' | 'skipped') => outcomes.reduce((total, outcome) => total + outcome[field], 0)
  const skipped = sum('skipped') > 0 ? `${sum('skipped')} skipped, ` : ''
  process.stdout.write(`\n${skipped}${sum('passed')} passed, ${failures.length} failed\n`)
  return outcomes.find(({ code }) => code !== 0)?.code ?? 0
}
