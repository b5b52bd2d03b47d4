import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findChromium } from './chromium.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chromium-test-'))
  vi.stubEnv('WB_TEST_CHROMIUM', '')
  vi.stubEnv('PATH', join(folder, 'bin')) // neither a browser nor apt
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

function program(path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return file
}
const WORKING = 'echo Chromium 156.0.8078.79'
const BROKEN = 'echo "error while loading shared libraries" >&2; exit 127'
const find = (name: 'chromium' | 'chromium-headless-shell' = 'chromium') =>
  findChromium(name, { cacheDir: join(folder, 'cache') })

test('the named browser comes first, and an error names it when it does not run', async () => {
  program('bin/chromium', WORKING)
  const named = program('named', WORKING)
  vi.stubEnv('WB_TEST_CHROMIUM', named)
  expect(await find()).toBe(named)
  vi.stubEnv('WB_TEST_CHROMIUM', program('broken', BROKEN))
  await expect(find()).rejects.toThrow(`names ${join(folder, 'broken')}, which does not run`)
})

test('PATH comes before the cache, and a cached browser that does not run is skipped', async () => {
  program('cache/1.0.0.0/chromium', BROKEN)
  const cached = program('cache/156.0.8078.79/chromium', WORKING)
  expect(await find()).toBe(cached)
  const installed = program('bin/chromium', WORKING)
  expect(await find()).toBe(installed)
})

test('the full browser is good for everything, the headless shell is not', async () => {
  const full = program('bin/chromium', WORKING)
  expect(await find('chromium-headless-shell')).toBe(full)
  const shell = program('bin/chromium-headless-shell', WORKING)
  expect(await find('chromium-headless-shell')).toBe(shell)
  expect(await find()).toBe(full)
})

test('when none can be fetched, the error says what was tried and what to do', async () => {
  await expect(find()).rejects.toThrow(/found no Chromium.*\n.*WB_TEST_CHROMIUM/)
})
