import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from '../../installation/services.ts'

/** The fields of vitest's JSON report that are used here. */
type Report = {
  numPassedTests: number
  numPendingTests: number
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

/** The exit code of a run, its counts, one line for each failure, and its failed files with their passed tests. */
export type Outcome = {
  code: number
  passed: number
  skipped: number
  failures: string[]
  failed: { files: string[]; passed: number }
  /** Of the run. */
  files: number
}

const NONE = { files: [], passed: 0 }

/**
 * Reads the report in `file` of a run of vitest that ended with `code`. A run that failed without a failed test is a
 * failure too.
 */
export function outcomeOf(projects: readonly string[], code: number, file: string): Outcome {
  const title = `  ${projects.join(', ')}`
  if (!existsSync(file))
    return {
      code: code || 1,
      passed: 0,
      skipped: 0,
      failures: [`${title}: vitest ended without a report`],
      failed: NONE,
      files: 0,
    }
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  const failures = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName)
    const texts = status === 'failed' && failed.length === 0 ? ['the file could not be run'] : failed
    return texts.map((text) => `  ${relative(ROOT, name)} > ${text}`)
  })
  if (code !== 0 && failures.length === 0) failures.push(`${title}: see the errors above`)
  const files = report.testResults.filter(({ status }) => status === 'failed')
  const passed = files.flatMap(({ assertionResults }) => assertionResults).filter(hasPassed).length
  const failed = { files: files.map(({ name }) => relative(ROOT, name)), passed }
  const [passedTests, skipped] = [report.numPassedTests, report.numPendingTests]
  return { code, passed: passedTests, skipped, failures, failed, files: report.testResults.length }
}

const hasPassed = ({ status }: { status: string }) => status === 'passed'

/**
 * One file in twenty, and at least three: the more files a run has, the more of them wait while the machine is busy. More than that
 * are a fault of the change. A share, because three of the 110 files of the contract and the console were too few.
 */
const mostTriedAgain = (files: number): number => Math.max(3, Math.floor(files / 20))

/** Whether the failed files of a run may pass when nothing runs beside them. */
export const deservesSecondTry = ({ failed, files }: Outcome): boolean =>
  failed.files.length > 0 && failed.files.length <= mostTriedAgain(files)

/** A run whose failed files ran once more, as `again`: the tests of these files count once. */
export const withSecondTry = (first: Outcome, again: Outcome): Outcome => ({
  ...again,
  passed: first.passed - first.failed.passed + again.passed,
  skipped: first.skipped,
  files: first.files,
})
