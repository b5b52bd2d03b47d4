import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rotateLogs } from './rotate-logs.ts'

test('a log above the limit is moved while its program goes on writing, and one older log is kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotate-test-'))
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  writeFileSync(join(folder, 'small.log'), 'x')
  const file = join(folder, 'keys.log')
  const log = openSync(file, 'a') // as spawnLogged does
  writeSync(log, `${'first'.padEnd(100)}\n`)
  rotateLogs(folder, 50)
  writeSync(log, 'second\n')
  expect([read('keys.log.1').trim(), read('keys.log')]).toEqual(['first', 'second\n'])
  rotateLogs(folder, 3)
  expect([read('keys.log.1'), read('keys.log'), read('small.log')]).toEqual(['second\n', '', 'x'])
  closeSync(log)
  rmSync(folder, { recursive: true })
})
