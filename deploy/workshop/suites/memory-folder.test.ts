import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepTemporaryFilesIn, keepTemporaryFilesInMemory, runsPrograms } from './memory-folder.ts'

function newParent(): string {
  const parent = mkdtempSync(join(tmpdir(), 'memory-folder-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  vi.stubEnv('TMPDIR', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  return parent
}

test('TMPDIR is a new folder that other users can read, until it is removed with its files', () => {
  const parent = newParent()
  const remove = keepTemporaryFilesIn(parent)
  const folder = process.env['TMPDIR'] ?? ''
  expect(dirname(folder)).toBe(parent)
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  writeFileSync(join(folder, 'file'), 'text')
  remove()
  expect(readdirSync(parent)).toEqual([])
  expect(process.env['TMPDIR']).toBeUndefined()
})

test('folders of ended runs are removed, those of running ones and of other programs are kept', () => {
  const parent = newParent()
  const ended = spawnSync('true').pid
  const [abandoned, running, other] = [
    `whereabouts-tmp-${ended}-a`,
    `whereabouts-tmp-${process.pid}-b`,
    `other-${ended}-c`,
  ]
  for (const name of [abandoned, running, other]) mkdirSync(join(parent, name))
  keepTemporaryFilesIn(parent)()
  expect(readdirSync(parent).toSorted()).toEqual([other, running].toSorted())
})

test('a TMPDIR that is already set is kept', () => {
  vi.stubEnv('TMPDIR', '/elsewhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  const remove = keepTemporaryFilesInMemory()
  const during = process.env['TMPDIR']
  remove()
  expect([during, process.env['TMPDIR']]).toEqual(['/elsewhere', '/elsewhere'])
})

test.for([
  ['a tmpfs', 'tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0', true],
  ['a tmpfs with noexec', 'tmpfs /dev/shm tmpfs rw,nosuid,noexec 0 0', false],
  ['another file system', 'overlay /dev/shm ext4 rw 0 0', false],
  ['a tmpfs in another place', 'tmpfs /run tmpfs rw 0 0', false],
] as const)('programs may run in /dev/shm if it is a tmpfs without noexec: %s', ([, line, expected]) => {
  expect(runsPrograms(`proc /proc proc rw,noexec 0 0\n${line}\n`)).toBe(expected)
})
