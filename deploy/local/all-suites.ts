import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from './services.ts'
import type { Vitest } from './run-vitest.ts'

/** Projects of vitest.config.ts, by run. A system that a project starts lives as long as its run, and even idle it costs processor time. */
const RUNS = [
  ['unit', 'integration'],
  ['contract', 'console'],
  ['walls', 'operator', 'blackbox'],
] as const

/** What vitest's JSON reporter writes, as far as it is used here. */
type Report = {
  numPassedTests: number
  numPendingTests: number
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

/**
 * Runs all projects but the soak in several runs of vitest, each with `args`, and prints the failures and the sum of all
 * runs at the end. Resolves with the exit code.
 */
export async function runAllSuites(vitest: Vitest, args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'))
  const sum = { passed: 0, skipped: 0, failures: [] as string[] }
  let exitCode = 0
  for (const [index, projects] of RUNS.entries()) {
    process.stdout.write(`\nRun ${index + 1} of ${RUNS.length}: ${projects.join(', ')}\n`)
    const file = join(folder, `${index}.json`)
    const chosen = projects.map((name) => `--project=${name}`)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const code = await vitest([...args, ...chosen, ...reporters])
    exitCode ||= code
    if (!existsSync(file)) throw new Error(`vitest ended with code ${code} before its report.`)
    add(sum, JSON.parse(readFileSync(file, 'utf8')) as Report)
  }
  rmSync(folder, { recursive: true })
  if (sum.failures.length > 0) process.stdout.write(`\nFailed:\n${sum.failures.join('\n')}\n`)
  const skipped = sum.skipped > 0 ? `${sum.skipped} skipped, ` : ''
  process.stdout.write(`\n${skipped}${sum.passed} passed, ${sum.failures.length} failed\n`)
  return exitCode
}

function add(sum: { passed: number; skipped: number; failures: string[] }, report: Report): void {
  sum.passed += report.numPassedTests
  sum.skipped += report.numPendingTests
  for (const { name, status, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName)
    // A file that fails before its first test has no failed test.
    const texts = status === 'failed' && failed.length === 0 ? ['the file could not be run'] : failed
    sum.failures.push(...texts.map((text) => `  ${relative(ROOT, name)} > ${text}`))
  }
}
