import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findProgram, isNewEnough, type Program } from './program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'program-test-'))
  vi.stubEnv('PATH', `${join(folder, 'bin')}:/usr/bin:/bin`) // the second for the shell of our programs
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

function fake(path: string, version: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho "some-tool v${version}"\n`, { mode: 0o755 })
  return file
}
const source = (version: string) => ({
  name: `a source of ${version}`,
  fetch: async (scratch: string) => {
    const file = join(scratch, 'fetched')
    writeFileSync(file, `#!/bin/sh\necho "some-tool v${version}"\n`, { mode: 0o755 })
    return file
  },
})
const broken = {
  name: 'a source that is away',
  fetch: () => Promise.reject(new Error('no route to host')),
}
const find = (sources: Program['sources']) =>
  findProgram(
    {
      name: 'some-tool',
      version: { args: ['--version'], pattern: /v(\d+\.\d+\.\d+)/ },
      oldest: [2, 1, 0],
      sources,
      advice: 'Install it.',
    },
    { cacheDir: join(folder, 'cache') },
  )

test('the program on PATH is taken when it is new enough', async () => {
  const found = fake('bin/some-tool', '2.1.0')
  expect(await find([])).toBe(found)
})

test('one on PATH that is too old gives way to the cache', async () => {
  fake('bin/some-tool', '2.0.9')
  const cached = fake('cache/2.2.0/some-tool', '2.2.0')
  expect(await find([])).toBe(cached)
})

test('what the first working source gives is kept under its version', async () => {
  const kept = await find([broken, source('1.9.9'), source('2.4.0')])
  expect(kept).toBe(join(folder, 'cache/2.4.0/some-tool'))
  expect(await find([])).toBe(kept)
})

test('where no source works, the error says what was tried and what to do', async () => {
  await expect(find([broken, source('1.9.9')])).rejects.toThrow(
    [
      'found no some-tool 2.1.0 or newer',
      '- a source that is away: no route to host',
      '- a source of 1.9.9: 1.9.9 is too old',
      'Install it.',
    ].join('\n'),
  )
})

test.for([
  ['2.9.10', false],
  ['2.10.26', false],
  ['2.10.27', true],
  ['2.15.1', true],
  ['3.0.0', true],
  ['1.99.99', false],
] as const)('of 2.10.27 or newer, %s is: %s', ([version, expected]) => {
  expect(isNewEnough(version, [2, 10, 27])).toBe(expected)
})
