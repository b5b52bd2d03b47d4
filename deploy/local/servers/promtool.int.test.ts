import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findPromtool } from './promtool.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'promtool-test-'))
  vi.stubEnv('WB_TEST_PROMTOOL', '')
  vi.stubEnv('PATH', join(folder, 'bin')) // neither a promtool nor apt
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

function program(path: string, exitCode: number): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 })
  return file
}
const find = () => findPromtool({ cacheDir: join(folder, 'cache') })

test('the named promtool wins, then PATH, then the cache; one that does not run is passed over or refused by name', async () => {
  const cached = program('cache/promtool', 0)
  expect(await find()).toBe(cached)
  const installed = program('bin/promtool', 0)
  expect(await find()).toBe(installed)
  program('bin/promtool', 1)
  expect(await find()).toBe(cached)
  const named = program('named', 0)
  vi.stubEnv('WB_TEST_PROMTOOL', named)
  expect(await find()).toBe(named)
  vi.stubEnv('WB_TEST_PROMTOOL', program('broken', 1))
  await expect(find()).rejects.toThrow(/WB_TEST_PROMTOOL names .*broken, which does not run/)
})

test('where none can be had, the error says what was tried and what to do', async () => {
  await expect(find()).rejects.toThrow(/found no promtool.*\n.*WB_TEST_PROMTOOL/)
})
