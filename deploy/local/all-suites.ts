import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Vitest } from './run-vitest.ts'
import { ROOT } from './services.ts'

/**
 * Projects of vitest.config.ts, by stage. The runs of a stage start together; each starts the systems of its projects
 * and stops them at its end, because even an idle system costs processor time. A project whose files run one after the
 * other is a run of its own.
 */
const STAGES = [
  [['unit', 'integration']],
  [['contract', 'console']],
  [['walls'], ['operator'], ['blackbox']],
] as const

/** What vitest's JSON reporter writes, as far as it is used here. */
type Report = {
  numPassedTests: number
  numPendingTests: number
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}
type Outcome = { code: number; passed: number; skipped: number; failures: string[] }

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

/** A run that failed without a failed test is a failure, too. */
function outcomeOf(projects: readonly string[], code: number, file: string): Outcome {
  const title = `  ${projects.join(', ')}`
  if (!existsSync(file))
    return { code: code || 1, passed: 0, skipped: 0, failures: [`${title}: vitest ended without a report`] }
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  const failures = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName)
    const texts = status === 'failed' && failed.length === 0 ? ['the file could not be run'] : failed
    return texts.map((text) => `  ${relative(ROOT, name)} > ${text}`)
  })
  if (code !== 0 && failures.length === 0) failures.push(`${title}: see the errors above`)
  return { code, passed: report.numPassedTests, skipped: report.numPendingTests, failures }
}
