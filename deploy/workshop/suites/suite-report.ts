import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from '../../installation/services.ts'

/** The fields of vitest's JSON report that are used here. */
type Report = {
  numPassedTests: number
  numPendingTests: number
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

/** The exit code of a run, its counts, and one line for each failure. */
export type Outcome = { code: number; passed: number; skipped: number; failures: string[] }

/**
 * Reads the report in `file` of a run of vitest that ended with `code`. A run that failed without a failed test is a
 * failure too.
 */
export function outcomeOf(projects: readonly string[], code: number, file: string): Outcome {
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
