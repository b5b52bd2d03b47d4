import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findProgram, type Program } from './program.ts'

let folder: string
beforeEach(() => {
  notes.length = 0
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
const notes: string[] = []
const find = (sources: Program['sources'], more: Partial<Program> = {}) =>
  findProgram(
    {
      name: 'some-tool',
      version: { args: ['--version'], pattern: /v(\d+\.\d+\.\d+)/ },
      oldest: '2.1.0',
      sources,
      advice: 'Install it.',
      ...more,
    },
    { cacheDir: join(folder, 'cache'), onNote: (note) => notes.push(note) },
  )

test('a program on PATH is used when it is new enough', async () => {
  const found = fake('bin/some-tool', '2.1.0')
  expect(await find([])).toBe(found)
})

test('an old program on PATH is skipped for the cache, with a note', async () => {
  fake('bin/some-tool', '2.0.9')
  const cached = fake('cache/2.2.0/some-tool', '2.2.0')
  expect(await find([])).toBe(cached)
  expect(notes).toEqual([`some-tool 2.0.9 on PATH is older than 2.1.0, so using ${cached}`])
})

describe('of one minor version', () => {
  const find21 = (sources: Program['sources']) => find(sources, { sameLine: true })

  test('a later patch on PATH is accepted', async () => {
    const found = fake('bin/some-tool', '2.1.7')
    expect(await find21([])).toBe(found)
    expect(notes).toEqual([])
  })

  test('another minor version is rejected on PATH, in the cache and from a source', async () => {
    fake('bin/some-tool', '2.2.0')
    fake('cache/3.1.0/some-tool', '3.1.0')
    const found = await find21([source('2.2.1'), source('2.1.3')])
    expect(found).toBe(join(folder, 'cache/2.1.3/some-tool'))
    expect(notes.at(-1)).toBe(`some-tool 2.2.0 on PATH is not a patch of 2.1.0, so using ${found}`)
  })
})

test('the result of the first working source is kept under its version', async () => {
  const kept = await find([broken, source('1.9.9'), source('2.4.0')])
  expect(kept).toBe(join(folder, 'cache/2.4.0/some-tool'))
  expect(await find([])).toBe(kept)
})

test('when no source works, the error lists what was tried and what to do', async () => {
  await expect(find([broken, source('1.9.9')])).rejects.toThrow(
    [
      'found no some-tool 2.1.0 or newer',
      '- a source that is away: no route to host',
      '- a source of 1.9.9: 1.9.9 is older than 2.1.0',
      'Install it.',
    ].join('\n'),
  )
})
