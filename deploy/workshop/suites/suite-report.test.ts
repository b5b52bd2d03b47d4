import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../installation/services.ts'
import { deservesSecondTry, outcomeOf, withSecondTry } from './suite-report.ts'

type Test = { fullName: string; status: string }
const resultOf = (file: string, status: string, assertionResults: Test[]) => ({
  name: join(ROOT, file),
  status,
  assertionResults,
})

/** A report like that of vitest's JSON reporter. */
function reportWith(testResults: ReturnType<typeof resultOf>[], { passed = 0, skipped = 0 } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'suite-report-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'report.json')
  writeFileSync(file, JSON.stringify({ numPassedTests: passed, numPendingTests: skipped, testResults }))
  return file
}

test('passed and skipped tests are counted', () => {
  const file = reportWith([resultOf('a.test.ts', 'passed', [{ fullName: 'one', status: 'passed' }])], {
    passed: 7,
    skipped: 2,
  })
  expect(outcomeOf(['unit'], 0, file)).toMatchObject({ code: 0, passed: 7, skipped: 2, failures: [] })
})

test('each failed test is named with its file', () => {
  const file = reportWith([
    resultOf('libs/a.test.ts', 'failed', [
      { fullName: 'one', status: 'failed' },
      { fullName: 'two', status: 'passed' },
      { fullName: 'three', status: 'failed' },
    ]),
    resultOf('libs/b.test.ts', 'passed', [{ fullName: 'four', status: 'passed' }]),
  ])
  expect(outcomeOf(['unit'], 1, file)).toMatchObject({
    code: 1,
    failures: ['  libs/a.test.ts > one', '  libs/a.test.ts > three'],
  })
})

test('a failed file without a failed test is a failure', () => {
  const file = reportWith([resultOf('libs/a.test.ts', 'failed', [])])
  expect(outcomeOf(['unit'], 1, file).failures).toEqual(['  libs/a.test.ts > the file could not be run'])
})

test('an exit code without a failed test is a failure of the run', () => {
  const file = reportWith([resultOf('a.test.ts', 'passed', [{ fullName: 'one', status: 'passed' }])], {
    passed: 1,
  })
  expect(outcomeOf(['contract', 'console'], 3, file)).toMatchObject({
    code: 3,
    passed: 1,
    skipped: 0,
    failures: ['  contract, console: see the errors above'],
  })
})

test.for([
  [0, 1],
  [134, 134],
] as const)('a run that ends with %d and without a report fails with %d', ([code, expected]) => {
  expect(outcomeOf(['unit'], code, join(tmpdir(), 'missing', 'report.json'))).toMatchObject({
    code: expected,
    passed: 0,
    skipped: 0,
    failures: ['  unit: vitest ended without a report'],
  })
})

test.for([
  [3, 3, true],
  [59, 3, true],
  [59, 4, false],
  [110, 5, true],
  [110, 6, false],
  [110, 0, false],
] as const)('of %d files %d that failed run once more: %s', ([files, failed, expected]) => {
  const all = Array.from({ length: files }, (_, i) =>
    resultOf(`${i}.test.ts`, i < failed ? 'failed' : 'passed', []),
  )
  expect(deservesSecondTry(outcomeOf(['unit'], 1, reportWith(all)))).toBe(expected)
})

test('failed files run once more, and their tests count once', () => {
  const failed = (file: string) => [
    { fullName: `${file} one`, status: 'passed' },
    { fullName: `${file} two`, status: 'failed' },
  ]
  const files = ['a', 'b', 'c', 'd'].map((name) => resultOf(`${name}.test.ts`, 'failed', failed(name)))
  const first = outcomeOf(['unit'], 1, reportWith(files.slice(0, 3), { passed: 10, skipped: 1 }))
  expect(first.failed).toEqual({ files: ['a.test.ts', 'b.test.ts', 'c.test.ts'], passed: 3 })
  expect(deservesSecondTry(first)).toBe(true)
  expect(deservesSecondTry(outcomeOf(['unit'], 1, reportWith(files)))).toBe(false)
  const withoutFiles = outcomeOf(['unit'], 3, reportWith([]))
  expect(deservesSecondTry(withoutFiles)).toBe(false)

  const again = outcomeOf(['unit'], 0, reportWith([], { passed: 6 }))
  expect(withSecondTry(first, again)).toMatchObject({ code: 0, passed: 13, skipped: 1, failures: [] })
})
